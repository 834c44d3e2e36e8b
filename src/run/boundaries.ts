import type { Boundary, CommandAim, PlannedFault, Trigger } from '../contract/api/plan.ts'
import type { NamedMessage } from '../contract/results/keys-named-in.ts'
import { CommandKinds, countedBy, type PassingCommand } from './command-aims.ts'

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

/** A fault that strikes at what a command is, and how many such have passed. */
interface WaitingForKind extends Armed {
  readonly aim: CommandAim
  readonly nth: number
  readonly counts: Map<string, number>
  struck: boolean
}

/** Counts which slot passes which boundary, and finds the faults that were planned for it. */
export class Boundaries {
  readonly #counts = new Map<Boundary, number[]>()
  readonly #newCounts = new Map<Boundary, number>()
  readonly #waiting = new Map<Boundary, Waiting[]>()
  readonly #forKinds = new Map<Boundary, WaitingForKind[]>()
  readonly #kinds: CommandKinds
  /** Whether it matters which Redis keys commands name. */
  readonly wantsKeys: boolean

  constructor(armed: readonly Armed[], messages: readonly NamedMessage[]) {
    this.#kinds = new CommandKinds(messages)
    for (const { index, fault } of armed) {
      const { when } = fault
      if (when.at === 'time') continue
      if (when.of !== undefined) {
        const forKinds = this.#forKinds.get(when.at) ?? []
        forKinds.push({ index, fault, aim: when.of, nth: when.nth, counts: new Map(), struck: false })
        this.#forKinds.set(when.at, forKinds)
        continue
      }
      const waiting = this.#waiting.get(when.at) ?? []
      waiting.push({ index, fault, when, aimsAtNew: fault.aim === 'new-crash-points' })
      this.#waiting.set(when.at, waiting)
    }
    this.wantsKeys = this.#forKinds.size > 0
  }

  /** See `CommandKinds`. */
  keyIn(text: string): string | null {
    return this.#kinds.keyIn(text)
  }

  /** Counts; answers the faults to strike now, usually none. `isNew`: a crash point not passed before. */
  pass(slot: number, boundary: Boundary, isNew: boolean, command: PassingCommand | null): readonly Armed[] {
    const numbered = this.#passNumbered(slot, boundary, isNew)
    if (!this.wantsKeys || command === null) return numbered
    const forKinds = this.#passKind(boundary, command)
    return forKinds.length === 0 ? numbered : [...numbered, ...forKinds].sort((a, b) => a.index - b.index)
  }

  #passKind(boundary: Boundary, command: PassingCommand): readonly Armed[] {
    const kind = this.#kinds.of(command)
    return (this.#forKinds.get(boundary) ?? []).filter((waiting) => {
      const name = waiting.struck ? null : countedBy(waiting.aim, kind)
      if (name === null) return false
      const count = (waiting.counts.get(name) ?? 0) + 1
      waiting.counts.set(name, count)
      waiting.struck = count === waiting.nth
      return waiting.struck
    })
  }

  #passNumbered(slot: number, boundary: Boundary, isNew: boolean): readonly Armed[] {
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
