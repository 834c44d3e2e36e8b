import { serverFault } from './server-fault.ts'

/**
 * Runs SCRIPT FLUSH on the server: every EVALSHA is answered NOSCRIPT until the script is sent
 * again.
 */
export const scriptsFlushed = serverFault({
  kind: 'scripts-flushed',
  about: 'the script cache of the server is flushed',
  delays: 'none',
  needs: 'a server that is up',
  sentence: 'the script cache of redis is flushed',
  strike: (machine) => ({ do: 'flush-scripts', machine }),
})
