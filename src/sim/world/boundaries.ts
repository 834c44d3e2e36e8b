import type { Boundary, PlannedFault, Trigger } from '../../contract/plan.ts'
import type { VirtualProcess } from '../runtime/process.ts'

/** What faults make of a step. */
export interface Ruling {
  /**
   * `drop`: it goes no further. `refuse` and `fail`, at the sink: answered with a definitive refusal, or an error
   * that leaves the effect in doubt.
   */
  verdict: 'pass' | 'drop' | 'refuse' | 'fail'
  /** Redis answers this in place of executing the command. */
  error: string | null
  /** Added to the time that the sink works on an effect, in microseconds. */
  slowUs: number
}

/** Something that passes a boundary. */
export interface Passing extends Ruling {
  /** Whose step it is; it may have ended since. */
  readonly process: VirtualProcess
  readonly slot: number
  readonly boundary: Boundary
  /** The command or script, where the boundary is one of those. */
  readonly label: string | null
}

type BoundaryTrigger = Extract<Trigger, { consumer: number }>

interface Armed {
  readonly index: number
  readonly fault: PlannedFault
  readonly when: BoundaryTrigger
  /** Counts only crash points that nobody passed before in this run, and strikes whoever passes. */
  readonly aimsAtNew: boolean
}

/** Counts who passes what, and finds the faults that were planned for it. */
export class Boundaries {
  readonly #counts = new Map<Boundary, number[]>()
  readonly #newCounts = new Map<Boundary, number>()
  readonly #armed = new Map<Boundary, Armed[]>()

  constructor(faults: readonly PlannedFault[]) {
    faults.forEach((fault, index) => {
      const { when } = fault
      if (when.at === 'time') return
      const armed = this.#armed.get(when.at) ?? []
      armed.push({ index, fault, when, aimsAtNew: fault.aim === 'new-crash-points' })
      this.#armed.set(when.at, armed)
    })
  }

  /** Counts; answers the faults to strike now, usually none. `isNew`: a crash point that nobody passed before. */
  pass(slot: number, boundary: Boundary, isNew: boolean): readonly { index: number; fault: PlannedFault }[] {
    const armed = this.#armed.get(boundary)
    if (armed === undefined) return none
    let counts = this.#counts.get(boundary)
    if (counts === undefined) this.#counts.set(boundary, (counts = []))
    const count = (counts[slot] ?? 0) + 1
    counts[slot] = count
    const newCount = (this.#newCounts.get(boundary) ?? 0) + (isNew ? 1 : 0)
    this.#newCounts.set(boundary, newCount)
    return armed.filter(({ when, aimsAtNew }) =>
      aimsAtNew ? isNew && when.nth === newCount : when.consumer === slot && when.nth === count,
    )
  }
}

const none: readonly never[] = []
