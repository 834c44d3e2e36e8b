import type { Boundary, PlannedFault, Trigger } from '../contract/plan.ts'

type BoundaryTrigger = Extract<Trigger, { consumer: number }>

/** A fault, and which of the plan's it is. */
export interface Armed {
  readonly index: number
  readonly fault: PlannedFault
}

interface Waiting extends Armed {
  readonly when: BoundaryTrigger
  /** Counts only crash points that no process passed before in this run, and strikes the process that passes. */
  readonly aimsAtNew: boolean
}

/** Counts which slot passes which boundary, and finds the faults that were planned for it. */
export class Boundaries {
  readonly #counts = new Map<Boundary, number[]>()
  readonly #newCounts = new Map<Boundary, number>()
  readonly #waiting = new Map<Boundary, Waiting[]>()

  constructor(armed: readonly Armed[]) {
    for (const { index, fault } of armed) {
      const { when } = fault
      if (when.at === 'time') continue
      const waiting = this.#waiting.get(when.at) ?? []
      waiting.push({ index, fault, when, aimsAtNew: fault.aim === 'new-crash-points' })
      this.#waiting.set(when.at, waiting)
    }
  }

  /** Counts; answers the faults to strike now, usually none. `isNew`: a crash point not passed before. */
  pass(slot: number, boundary: Boundary, isNew: boolean): readonly Armed[] {
    const waiting = this.#waiting.get(boundary)
    if (waiting === undefined) return none
    let counts = this.#counts.get(boundary)
    if (counts === undefined) this.#counts.set(boundary, (counts = []))
    const count = (counts[slot] ?? 0) + 1
    counts[slot] = count
    const newCount = (this.#newCounts.get(boundary) ?? 0) + (isNew ? 1 : 0)
    this.#newCounts.set(boundary, newCount)
    return waiting.filter(({ when, aimsAtNew }) =>
      aimsAtNew ? isNew && when.nth === newCount : when.consumer === slot && when.nth === count,
    )
  }
}

const none: readonly never[] = []
