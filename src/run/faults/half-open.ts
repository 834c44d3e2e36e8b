import { connectionFault } from './connection-fault.ts'

/**
 * A NAT or a firewall forgets a consumer's connections to Redis. What either end sends on them is
 * lost, and no reset tells of it; new connections work. TCP of the client's machine gives up after
 * a quarter of an hour, clients sooner where they have a time-out. (A partition that heals gives
 * back what it held.)
 */
export const halfOpen = connectionFault({
  kind: 'half-open',
  about: 'the connections of a consumer to Redis become half-open: nothing passes, and neither end notices',
  delays: 'none',
  boundaries: ['delivery-received', 'command-unsent', 'command-executed', 'effect-applied'],
  does: 'forget',
  sentence: (where) => `become half-open${where}: nothing passes, and neither end notices`,
})
