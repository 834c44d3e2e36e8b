import type { Boundary, PlannedFault, Trigger } from '../../contract/plan.ts'

/** Something that passes a boundary, and what a fault makes of it. */
export interface Passing {
  readonly slot: number
  readonly boundary: Boundary
  /** The command or script, where the boundary is one of those. */
  readonly label: string | null
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

type BoundaryTrigger = Extract<Trigger, { consumer: number }>

/** Counts who passes what, and finds the faults that were planned for it. */
export class Boundaries {
  readonly #counts = new Map<Boundary, number[]>()
  readonly #armed = new Map<Boundary, { index: number; fault: PlannedFault; when: BoundaryTrigger }[]>()
  /** Every boundary and label that was passed: the denominator of crash-point coverage. */
  readonly seen = new Set<string>()

  constructor(faults: readonly PlannedFault[]) {
    faults.forEach((fault, index) => {
      const { when } = fault
      if (when.at === 'time') return
      const armed = this.#armed.get(when.at) ?? []
      armed.push({ index, fault, when })
      this.#armed.set(when.at, armed)
    })
  }

  /** Counts; answers the faults to strike now, usually none. */
  pass(slot: number, boundary: Boundary, label: string | null): readonly { index: number; fault: PlannedFault }[] {
    this.seen.add(cell(boundary, label))
    const armed = this.#armed.get(boundary)
    if (armed === undefined) return none
    let counts = this.#counts.get(boundary)
    if (counts === undefined) this.#counts.set(boundary, (counts = []))
    const count = (counts[slot] ?? 0) + 1
    counts[slot] = count
    return armed.filter(({ when }) => when.consumer === slot && when.nth === count)
  }
}

const none: readonly never[] = []
const cells = new Map<Boundary, Map<string | null, string>>()

/** Names a crash point: `command-executed GET`. */
export function cell(boundary: Boundary, label: string | null): string {
  let byLabel = cells.get(boundary)
  if (byLabel === undefined) cells.set(boundary, (byLabel = new Map()))
  let name = byLabel.get(label)
  if (name === undefined) byLabel.set(label, (name = label === null ? boundary : `${boundary} ${label}`))
  return name
}
