import type { Address } from './address.ts'
import { ask } from './ask.ts'
import type { Replica } from './instance.ts'

/**
 * Makes a server follow an address, or nobody, keeps that in its configuration file, and throws its
 * clients out, so that they ask for the primary again. Nobody looks at the replies: INFO will tell.
 */
export function sendSlaveOf(replica: Replica, address: Address | null): void {
  const commands = [
    ['MULTI'],
    address === null ? ['SLAVEOF', 'NO', 'ONE'] : ['SLAVEOF', address.host, address.port],
    ['CONFIG', 'REWRITE'],
    ['CLIENT', 'KILL', 'TYPE', 'normal'],
    ['CLIENT', 'KILL', 'TYPE', 'pubsub'],
    ['EXEC'],
  ]
  for (const words of commands) ask(replica, replica.link.commands!, words, () => {})
}
