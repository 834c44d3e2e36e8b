import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-scripts-sent-once',
  about: 'Sends each script only once, even if the server has lost it.',
  breaks: 'Every message ends `done`, `refused`, `in-doubt` or `conflict`, or is still being retried',
  patches: [
    {
      file: 'src/impl/connection.ts',
      find: '  #closed = false\n',
      replace: '  #closed = false\n  readonly #known = new Set<string>()\n',
    },
    {
      file: 'src/impl/connection.ts',
      find: "if (!asError(error).message.startsWith('NOSCRIPT')) throw error",
      replace:
        "if (!asError(error).message.startsWith('NOSCRIPT') || this.#known.has(script.sha)) throw error\n      this.#known.add(script.sha)",
    },
  ],
  hunt: {
    killedBy: ['redis-restart', 'scripts-flushed'],
    scenarios: ['redis-restart'],
  },
})
