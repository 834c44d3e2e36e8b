import { connectionFault } from './connection-fault.ts'

/**
 * A NAT or a firewall forgets a consumer's connections to Redis. Data sent on them by either end is
 * lost, without a reset; new connections work. TCP on the client's machine gives up after a quarter
 * of an hour, and clients with a timeout give up earlier. In contrast, a partition delivers the
 * held data when it heals.
 */
export const halfOpen = connectionFault({
  kind: 'half-open',
  about: 'the connections of a consumer to Redis become half-open: nothing passes, and neither end notices',
  delays: 'none',
  boundaries: ['delivery-received', 'command-unsent', 'command-executed', 'effect-applied'],
  does: 'forget',
  sentence: (where) => `become half-open${where}: nothing passes, and neither end notices`,
})
