import { connectionFault } from './connection-fault.ts'

/** Resets all connections between a consumer and its store. Data in flight is lost. */
export const connectionReset = connectionFault({
  kind: 'connection-reset',
  about: 'the connections of a consumer to Redis are reset, with everything in flight on them',
  delays: 'its links',
  boundaries: ['effect-unsent', 'effect-applied', 'effect-answered'],
  does: 'reset',
  sentence: (where) => `are reset${where}`,
})
