/** The names of independent servers, and the member of a fault that selects one of them. */
import type { PlannedFault } from '../contract/api/plan.ts'

/**
 * The name of a server by its number, from 1. For faults of clocks, the server is the machine with
 * the negated number.
 */
export const independentName = (number: number): string => `redis-${number}`

/** The server that a fault selects; null if it selects none and strikes the primary. */
export const namedServer = ({ server }: PlannedFault): string | null =>
  typeof server === 'number' ? independentName(server) : null
