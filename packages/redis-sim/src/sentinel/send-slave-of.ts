import type { Address } from './address.ts'
import { ask } from './ask.ts'
import type { Replica } from './instance.ts'

/**
 * Makes a server follow an address or become a primary, rewrites its configuration file, and
 * disconnects its clients, so that they look up the primary again. The replies are ignored; INFO
 * shows the result.
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
