import type { Boundary, CommandAim, PlannedFault, Trigger } from '../contract/api/plan.ts'
import type { NamedMessage } from '../contract/results/keys-named-in.ts'
import { CommandKinds, countedBy, type PassingCommand } from './command-aims.ts'

type BoundaryTrigger = Extract<Trigger, { consumer: number }>

/** A fault of the plan, with its index in `plan.faults`. */
export interface Armed {
  readonly index: number
  readonly fault: PlannedFault
}

interface Waiting extends Armed {
  readonly when: BoundaryTrigger
  /** The fault counts only crash points that are new in this run, in all slots. */
  readonly aimsAtNew: boolean
}

/** A fault that strikes at a kind of command, with the numbers of such commands so far. */
interface WaitingForKind extends Armed {
  readonly aim: CommandAim
  readonly nth: number
  readonly counts: Map<string, number>
  struck: boolean
}

/** A fault that strikes the first attempt that passes the boundary `nth` times. */
interface WaitingForAttempt extends Armed {
  readonly nth: number
  /** Counts only commands whose Redis key contains a message's key. */
  readonly onKeys: boolean
  /** Counts only attempts after the earliest attempt that was struck (`#attemptStruck`). */
  readonly isLater: boolean
  /** The number of counted steps, by attempt. */
  readonly counts: Map<number, number>
  struck: boolean
}

/**
 * Counts how often each slot passes each boundary, and returns the faults that strike at each step.
 */
export class Boundaries {
  readonly #counts = new Map<Boundary, number[]>()
  readonly #newCounts = new Map<Boundary, number>()
  readonly #waiting = new Map<Boundary, Waiting[]>()
  readonly #forKinds = new Map<Boundary, WaitingForKind[]>()
  readonly #forAttempts = new Map<Boundary, WaitingForAttempt[]>()
  /** The earliest attempt that a fault of `#forAttempts` has struck. */
  #attemptStruck = Number.POSITIVE_INFINITY
  readonly #kinds: CommandKinds
  /** True if some fault depends on the Redis keys of commands. */
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
      const aim = aimsAtAttempts[String(fault.aim)]
      if (aim !== undefined) {
        const forAttempts = this.#forAttempts.get(when.at) ?? []
        forAttempts.push({ index, fault, ...aim, nth: when.nth, counts: new Map(), struck: false })
        this.#forAttempts.set(when.at, forAttempts)
        continue
      }
      const waiting = this.#waiting.get(when.at) ?? []
      waiting.push({ index, fault, when, aimsAtNew: fault.aim === 'new-crash-points' })
      this.#waiting.set(when.at, waiting)
    }
    const onKeys = [...this.#forAttempts.values()].flat().some((one) => one.onKeys)
    this.wantsKeys = onKeys || this.#forKinds.size > 0
  }

  /** See `CommandKinds`. */
  keyIn(text: string): string | null {
    return this.#kinds.keyIn(text)
  }

  /**
   * Counts a step, and returns the faults that strike now, usually none. `isNew`: the crash point
   * is new in this run. `attempt`: the delivery that the step belongs to, if that is known.
   */
  pass(
    slot: number,
    boundary: Boundary,
    isNew: boolean,
    command: PassingCommand | null,
    attempt: number | null = null,
  ): readonly Armed[] {
    const numbered = this.#passNumbered(slot, boundary, isNew)
    const forAttempts = attempt === null ? none : this.#passInAttempt(boundary, attempt, command)
    const forKinds = !this.wantsKeys || command === null ? none : this.#passKind(boundary, command)
    if (forKinds.length === 0 && forAttempts.length === 0) return numbered
    return [...numbered, ...forKinds, ...forAttempts].sort((a, b) => a.index - b.index)
  }

  #passInAttempt(boundary: Boundary, attempt: number, command: PassingCommand | null): readonly Armed[] {
    const waiting = this.#forAttempts.get(boundary)
    if (waiting === undefined) return none
    const before = this.#attemptStruck
    const namesKey = this.wantsKeys && command !== null && this.#kinds.of(command).key !== null
    return waiting.filter((one) => {
      if (one.struck || (one.onKeys && !namesKey) || (one.isLater && attempt <= before)) return false
      const count = (one.counts.get(attempt) ?? 0) + 1
      one.counts.set(attempt, count)
      one.struck = count === one.nth
      if (one.struck) this.#attemptStruck = Math.min(this.#attemptStruck, attempt)
      return one.struck
    })
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

/**
 * `onKeys` excludes commands by which a process queries its own state or cleans up, because they
 * contain no message key.
 */
const aimsAtAttempts: Readonly<Record<string, Pick<WaitingForAttempt, 'onKeys' | 'isLater'>>> = {
  'one-attempt': { onKeys: false, isLater: false },
  'one-attempt-on-keys': { onKeys: true, isLater: false },
  'later-attempt-on-keys': { onKeys: true, isLater: true },
}

const none: readonly never[] = []
