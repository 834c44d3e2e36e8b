/**
 * Searches for a run that holds and has only one difference from a broken run: one fault less, one
 * changed choice, or one message later. The difference is what the violation depends on.
 */

import { isStep } from 'virtual-node/kernel'
import type { HistoryEvent } from '../../contract/api/history.ts'
import type { Plan } from '../../contract/api/plan.ts'
import type { InvariantName } from '../../contract/api/verdict.ts'
import { visible } from '../../contract/results/visible.ts'
import { isFact } from '../token/nondeterminism.ts'
import { type ChoiceLists, type RunChoices, wholeListsOf, withoutCalm } from '../token/run-choices.ts'
import type { RunResult } from '../types.ts'
import { otherwise } from './choice-words.ts'

export interface BrokenRun {
  /** The invariant that the run broke. */
  readonly invariant: InvariantName
  readonly plan: Plan
  readonly choices: RunChoices
  /** Must include the list of choices. */
  readonly result: RunResult
  /** Time of the violation, in virtual microseconds. */
  readonly brokeUs: number
}

export interface NearRun {
  readonly result: RunResult
  /** True if the broken invariant holds in this run. */
  readonly keeps: boolean
  /** Other invariants that this run breaks. */
  readonly breaks: readonly InvariantName[]
}

/** Plays a run; null if the user asked to stop. */
export type PlayNear = (plan: Plan, choices: RunChoices) => Promise<NearRun | null>

/** `what`: a sentence about the run; if `run` is null, the reason why there is no run. */
export interface NearestPassing {
  readonly what: string
  readonly run: { readonly plan: Plan; readonly choices: RunChoices; readonly result: RunResult } | null
}

interface Near {
  /** The rest of a sentence that begins `it holds …`. */
  readonly what: string
  readonly plan: Plan
  readonly choices: RunChoices
}

/** The maximum number of choices to change: the last ones before the violation. */
const mostChoices = 40
const mostMessages = 5
const delaysMs = [100, 1_000, 10_000, 100_000]
/** The maximum length of a key in a sentence, in characters. */
const longestKey = 40

/**
 * Considers the runs with one fault less that keep the invariant. Prefers runs that break no other
 * invariant, then the run that equals the broken run for longest. If there is no such run, changes
 * one choice or delays one message, the last ones first, until a run holds.
 */
export async function findNearestPassing(
  broken: BrokenRun,
  play: PlayNear,
  budget: { readonly isSpent: boolean },
): Promise<NearestPassing> {
  const search = new NearestPassingSearch(broken.invariant, play, budget)
  let nearest: Passing | null = null
  for (const near of withoutOneFault(broken)) {
    const found = await search.passing(near)
    if (found !== null && (nearest === null || isNearer(found, nearest, broken.result))) nearest = found
  }
  if (nearest !== null) return search.reported(nearest)
  for (const near of withChangedChoiceOrLaterMessage(broken)) {
    const found = await search.passing(near)
    if (found !== null) return search.reported(found)
  }
  return { what: search.noneText, run: null }
}

/** A run that keeps the invariant and has one difference from the broken run. */
interface Passing extends Near, NearRun {}

class NearestPassingSearch {
  #tried = 0
  #cut: string | null = null

  constructor(
    private readonly invariant: InvariantName,
    private readonly play: PlayNear,
    private readonly budget: { readonly isSpent: boolean },
  ) {}

  /** Plays the run; null if it breaks the invariant, or was not played. */
  async passing(near: Near): Promise<Passing | null> {
    if (this.budget.isSpent) this.#cut ??= 'the event budget ran out'
    if (this.#cut !== null) return null
    const played = await this.play(near.plan, near.choices)
    if (played === null) {
      this.#cut = 'the user stopped it'
      return null
    }
    this.#tried++
    return played.keeps ? { ...near, ...played } : null
  }

  reported({ what, plan, choices, result, breaks }: Passing): NearestPassing {
    const run = { plan, choices, result }
    if (breaks.length === 0) return { what, run }
    const others = `${breaks.join(' and ')} ${breaks.length === 1 ? 'breaks' : 'break'}`
    return { what: `${what} (${this.invariant} holds, but ${others})`, run }
  }

  get noneText(): string {
    const cut = this.#cut === null ? '' : `, then ${this.#cut}`
    return `no passing run found next to it (${this.#tried} tried${cut})`
  }
}

function isNearer(one: Passing, than: Passing, broken: RunResult): boolean {
  const [clean, other] = [one, than].map(({ breaks }) => breaks.length === 0)
  return clean === other ? sameUntil(broken, one.result) > sameUntil(broken, than.result) : clean!
}

function withoutOneFault({ plan, choices, result }: BrokenRun): Near[] {
  const sentences = new Map(
    result.history.events.flatMap((event) => (event.type === 'fault-struck' ? [[event.index, event.sentence]] : [])),
  )
  return plan.faults.map(({ kind }, index) => ({
    what: `without this fault: ${sentences.get(index) ?? kind}`,
    plan: { ...plan, faults: plan.faults.filter((_, at) => at !== index) },
    choices,
  }))
}

function* withChangedChoiceOrLaterMessage(broken: BrokenRun): Generator<Near> {
  yield* withOneChoiceChanged(broken)
  yield* withOneMessageLater(broken)
}

/**
 * Runs with one changed choice, the last choice first. The choice is set to 0, the calmest value.
 * If it was 0, it is set to the highest value. Each candidate copies only one list.
 */
function* withOneChoiceChanged({ plan, choices, result, brokeUs }: BrokenRun): Generator<Near> {
  const lists = wholeListsOf(result.choices!)
  const counts = new Map<string, number>()
  const made = result.choices!.map((choice) => {
    const at = counts.get(choice.stream) ?? 0
    counts.set(choice.stream, at + 1)
    return { ...choice, at }
  })
  const steps = made.filter(({ stream, about, n, atUs }) => n > 1 && atUs <= brokeUs && isStep(stream, about))
  for (const choice of steps.slice(-mostChoices).reverse()) {
    const other = choice.chosen === 0 ? choice.n - 1 : 0
    yield {
      what: otherwise(choice, other),
      plan,
      choices: { ...choices, choices: withOther(lists, choice.stream, choice.at, other) },
    }
  }
}

/** Runs with one delayed message: the last message first, and the shortest delay first. */
function* withOneMessageLater({ plan, choices }: BrokenRun): Generator<Near> {
  const { messages } = plan
  const last = messages
    .map(({ key, publishAtMs }, at) => ({ key, publishAtMs, at }))
    .slice(-mostMessages)
    .reverse()
  for (const { key, publishAtMs, at } of last)
    for (const delayMs of delaysMs) {
      const laterMs = publishAtMs + delayMs
      yield {
        what: `message ${at + 1} (key ${visible(key).slice(0, longestKey)}) is published at ${laterMs} ms instead of ${publishAtMs} ms`,
        plan: {
          ...plan,
          messages: messages.map((one, place) => (place === at ? { ...one, publishAtMs: laterMs } : one)),
        },
        choices,
      }
    }
}

function withOther(lists: ChoiceLists, stream: string, at: number, other: number): ChoiceLists {
  return withoutCalm({ ...lists, [stream]: lists[stream]!.map((chosen, place) => (place === at ? other : chosen)) })
}

/** The number of equal facts before the first difference. */
function sameUntil({ history: { events } }: RunResult, other: RunResult): number {
  const others = other.history.events.filter(isFact)
  const at = events.filter(isFact).findIndex((event, place) => textOf(event) !== textOf(others[place]))
  return at === -1 ? others.length : at
}

/** The event as text, without fault indexes, because these shift if a fault is left out. */
const textOf = (event: HistoryEvent | undefined): string => JSON.stringify({ ...event, seq: 0, index: 0 })
