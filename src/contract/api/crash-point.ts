/**
 * Crash points: places where killing a process makes a difference. Their coverage says how much a
 * pass of a campaign means.
 */
import { type Boundary, boundaries } from './plan.ts'

export interface CrashPoint {
  readonly boundary: Boundary
  /** The label of the command or script, if the boundary is about one. */
  readonly label: string | null
  /** `expired` if a lease taken on receipt of the delivery would have ended by then. */
  readonly lease: 'live' | 'expired'
}

/** For example `command-executed EVALSHA begin, lease expired`. */
export function crashPointName({ boundary, label, lease }: CrashPoint): string {
  return `${boundary}${label === null ? '' : ` ${label}`}, lease ${lease}`
}

/** The inverse of `crashPointName`; null for any other text. */
export function readCrashPoint(name: string): CrashPoint | null {
  const [, boundary, label = null, lease] = /^([a-z-]+)(?: (.+))?, lease (live|expired)$/.exec(name) ?? []
  if (!(boundaries as readonly (string | undefined)[]).includes(boundary)) return null
  return { boundary: boundary as Boundary, label, lease: lease as CrashPoint['lease'] }
}
