/** Independent servers, and the member of a fault that selects one of them. */
import type { PlannedFault } from '../contract/api/plan.ts'

/** Counted from 1. Its clock is the machine with the negated number. */
export const independentName = (number: number): string => `redis-${number}`

/** The server that a fault strikes; null if it names none, and strikes the primary. */
export const namedServer = ({ server }: PlannedFault): string | null =>
  typeof server === 'number' ? independentName(server) : null
