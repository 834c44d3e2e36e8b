/** Servers that know nothing of each other, and the member of a fault that names one of them. */
import type { PlannedFault } from '../contract/api/plan.ts'

/** Counted from 1. Its clock is the machine of that number below 0. */
export const independentName = (number: number): string => `redis-${number}`

/** The one that a fault of a server strikes; null if it names none, and strikes the primary. */
export const namedServer = ({ server }: PlannedFault): string | null =>
  typeof server === 'number' ? independentName(server) : null
