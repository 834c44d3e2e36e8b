/**
 * The nearest run that holds, beside one that breaks: one fault less, one choice otherwise, or one message later. What is
 * different in it is what the violation hangs on.
 */
import type { HistoryEvent } from '../contract/history.ts'
import type { Plan } from '../contract/plan.ts'
import { visible } from '../contract/visible.ts'
import { isStep } from '../sim/kernel/choice-trail.ts'
import type { RunResult } from './campaign-deps.ts'
import { otherwise } from './choice-words.ts'
import { type ChoiceLists, type RunChoices, wholeListsOf, withoutCalm } from './run-choices.ts'

export interface BrokenRun {
  readonly plan: Plan
  readonly choices: RunChoices
  /** With its choices listed. */
  readonly result: RunResult
  /** When it broke, in virtual microseconds. */
  readonly brokeUs: number
}

/** Plays a run; null unless the invariant that was broken is kept in it. */
export type Holds = (plan: Plan, choices: RunChoices) => Promise<RunResult | null>

/** `what`: a sentence; without a run, why there is none. */
export interface Neighbour {
  readonly what: string
  readonly run: { readonly plan: Plan; readonly choices: RunChoices; readonly result: RunResult } | null
}

interface Near {
  readonly what: string
  readonly plan: Plan
  readonly choices: RunChoices
}

/** Choices that are made otherwise at most, the last ones before it broke. */
const mostChoices = 40
const mostMessages = 5
const delaysMs = [100, 1_000, 10_000, 100_000]
/** Characters of a key in a sentence. */
const longestKey = 40

/** Of the runs with one fault less, the one that goes the same way for longest; else the last choice, or message, that matters. */
export async function nearestPassing(
  broken: BrokenRun,
  holds: Holds,
  budget: { readonly isSpent: boolean },
): Promise<Neighbour> {
  let tried = 0
  let nearest: Neighbour | null = null
  let longest = -1
  for (const near of withoutOneFault(broken)) {
    if (budget.isSpent) break
    tried++
    const result = await holds(near.plan, near.choices)
    if (result === null) continue
    const same = sameUntil(broken.result, result)
    if (same > longest) nearest = { what: near.what, run: { ...near, result } }
    longest = Math.max(longest, same)
  }
  if (nearest !== null) return nearest
  for (const near of [...withOneChoiceOtherwise(broken), ...withOneMessageLater(broken)]) {
    if (budget.isSpent) break
    tried++
    const result = await holds(near.plan, near.choices)
    if (result !== null) return { what: near.what, run: { ...near, result } }
  }
  const what = `each of the ${tried} runs next to it that were tried breaks too: one fault less, one choice otherwise, one message later`
  return { what: tried === 0 ? 'no run next to it was tried: the budget of events was spent' : what, run: null }
}

function withoutOneFault({ plan, choices, result }: BrokenRun): Near[] {
  const sentences = new Map(
    result.history.events.flatMap((event) => (event.type === 'fault-struck' ? [[event.index, event.sentence]] : [])),
  )
  return plan.faults.map(({ kind }, index) => ({
    what: `it holds without this fault: ${sentences.get(index) ?? kind}`,
    plan: { ...plan, faults: plan.faults.filter((_, at) => at !== index) },
    choices,
  }))
}

/** The last choice first; the calmest where it was not, and the wildest where it was. */
function withOneChoiceOtherwise({ plan, choices, result, brokeUs }: BrokenRun): Near[] {
  const lists = wholeListsOf(result.choices!)
  const counts = new Map<string, number>()
  const made = result.choices!.map((choice) => {
    const at = counts.get(choice.stream) ?? 0
    counts.set(choice.stream, at + 1)
    return { ...choice, at }
  })
  const steps = made.filter(({ stream, about, n, atUs }) => n > 1 && atUs <= brokeUs && isStep(stream, about))
  return steps
    .slice(-mostChoices)
    .reverse()
    .map((choice) => {
      const other = choice.chosen === 0 ? choice.n - 1 : 0
      return {
        what: `it holds where ${otherwise(choice, other)}`,
        plan,
        choices: { ...choices, choices: withOther(lists, choice.stream, choice.at, other) },
      }
    })
}

/** The last message first, and the shortest delay. */
function withOneMessageLater({ plan, choices }: BrokenRun): Near[] {
  const { messages } = plan
  const last = messages
    .map(({ key, publishAtMs }, at) => ({ key, publishAtMs, at }))
    .slice(-mostMessages)
    .reverse()
  return last.flatMap(({ key, publishAtMs, at }) =>
    delaysMs.map((delayMs) => {
      const laterMs = publishAtMs + delayMs
      return {
        what: `it holds where message ${at + 1} (key ${visible(key).slice(0, longestKey)}) is published at ${laterMs} ms, and not at ${publishAtMs} ms`,
        plan: {
          ...plan,
          messages: messages.map((one, place) => (place === at ? { ...one, publishAtMs: laterMs } : one)),
        },
        choices,
      }
    }),
  )
}

function withOther(lists: ChoiceLists, stream: string, at: number, other: number): ChoiceLists {
  return withoutCalm({ ...lists, [stream]: lists[stream]!.map((chosen, place) => (place === at ? other : chosen)) })
}

/** Facts before the first that differs. */
function sameUntil({ history: { events } }: RunResult, other: RunResult): number {
  const others = other.history.events.filter(isFact)
  const at = events.filter(isFact).findIndex((event, place) => textOf(event) !== textOf(others[place]))
  return at === -1 ? others.length : at
}

const isFact = ({ type }: HistoryEvent): boolean => type !== 'log' && type !== 'command' && type !== 'network'

const textOf = (event: HistoryEvent | undefined): string => JSON.stringify({ ...event, seq: 0 })
