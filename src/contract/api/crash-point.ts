/**
 * Crash points: places at which a campaign kills a process. The more of them a campaign covers, the
 * more its pass means.
 */
import { type Boundary, boundaries } from './plan.ts'

export interface CrashPoint {
  readonly boundary: Boundary
  /** The label of the command or script, if the boundary is about one. */
  readonly label: string | null
  /**
   * `expired` if a lease that was acquired when the delivery was received would have ended by the
   * time of the crash.
   */
  readonly lease: 'live' | 'expired'
}

/** The name of a crash point, for example `command-executed EVALSHA begin, lease expired`. */
export function crashPointName({ boundary, label, lease }: CrashPoint): string {
  return `${boundary}${label === null ? '' : ` ${label}`}, lease ${lease}`
}

/** The inverse of `crashPointName`; null for any other text. */
export function readCrashPoint(name: string): CrashPoint | null {
  const [, boundary, label = null, lease] = /^([a-z-]+)(?: (.+))?, lease (live|expired)$/.exec(name) ?? []
  if (!(boundaries as readonly (string | undefined)[]).includes(boundary)) return null
  return { boundary: boundary as Boundary, label, lease: lease as CrashPoint['lease'] }
}
