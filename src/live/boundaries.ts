/** Boundaries as a live run passes them: what is counted, and which faults are to strike, is the simulator's. */
import { type Boundary, slotOf } from '../contract/plan.ts'
import { type Armed, Boundaries } from '../run/boundaries.ts'
import { CrashPoints } from '../run/crash-points.ts'
import type { ConsumerProcess } from './consumer-process.ts'

/** Something that passes a boundary, and what faults make of it. */
export interface Passing {
  readonly process: ConsumerProcess
  readonly boundary: Boundary
  /** The command or script, where the boundary is one of those. */
  readonly label: string | null
  /** `refuse` and `fail`, at the sink: a definitive refusal, or an error that leaves the effect in doubt. */
  verdict: 'pass' | 'drop' | 'refuse' | 'fail'
  /** Added to the time that the sink works on an effect. */
  slowMs: number
}

export class LiveBoundaries {
  readonly points: CrashPoints
  readonly #counted: Boundaries

  constructor(
    private readonly armed: readonly Armed[],
    leaseMs: number,
  ) {
    this.points = new CrashPoints(leaseMs)
    this.#counted = new Boundaries(armed)
  }

  /** Whether some fault is planned for a boundary of a command that this slot passes. */
  watchesCommands(slot: number): boolean {
    return this.armed.some(
      ({ fault }) =>
        (fault.when.at.startsWith('command-') || fault.when.at === 'reply-received') &&
        (fault.aim === 'new-crash-points' || slotOf(fault) === slot),
    )
  }

  /** `ageMs`: how long the process has been handling its oldest delivery. */
  pass(
    slot: number,
    boundary: Boundary,
    label: string | null,
    ageMs: number,
  ): { name: string; armed: readonly Armed[] } {
    const { name, isNew } = this.points.pass(boundary, label, ageMs * 1000)
    return { name, armed: this.#counted.pass(slot, boundary, isNew) }
  }
}
