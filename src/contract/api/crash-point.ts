/**
 * Crash points: where a process can be killed so that it makes a difference. What a campaign
 * covered of them says what its pass is worth.
 */
import { type Boundary, boundaries } from './plan.ts'

export interface CrashPoint {
  readonly boundary: Boundary
  /** The command or script, where the boundary is one of those. */
  readonly label: string | null
  /** Whether a lease that was taken as the delivery came in would have ended by then. */
  readonly lease: 'live' | 'expired'
}

/** `command-executed EVALSHA begin, lease expired`. */
export function crashPointName({ boundary, label, lease }: CrashPoint): string {
  return `${boundary}${label === null ? '' : ` ${label}`}, lease ${lease}`
}

/** Undoes `crashPointName`; null for a text that is none. */
export function readCrashPoint(name: string): CrashPoint | null {
  const [, boundary, label = null, lease] = /^([a-z-]+)(?: (.+))?, lease (live|expired)$/.exec(name) ?? []
  if (!(boundaries as readonly (string | undefined)[]).includes(boundary)) return null
  return { boundary: boundary as Boundary, label, lease: lease as CrashPoint['lease'] }
}
