/** What some runs of one pair came to: plain data that adds up, whoever counted it. */
import type { Judgement } from '../check/index.ts'
import type { History } from '../contract/history.ts'
import type { InvariantName, Verdict } from '../contract/verdict.ts'
import type { RunResult } from './workbench.ts'

export interface InvariantTally {
  violated: number
  unknown: number
  /** Why the first of the unknown ones is unknown. */
  whyUnknown: string | null
}

/** The first run that broke an invariant in one way. */
export interface FirstViolation {
  readonly invariant: InvariantName
  readonly kind: string
  readonly run: number
  readonly digest: string
}

export interface Tally {
  runs: number
  messages: number
  effects: number
  done: number
  refused: number
  parked: number
  /** Runs that spent a budget before the world came to rest, and why the first of them did. */
  incomplete: number
  whyIncomplete: string | null
  /** In the order of runs. */
  digests: string[]
  /** Of the sampled runs, in the order of runs. */
  historyDigests: string[]
  schedules: Set<string>
  cells: Set<string>
  cellsSeen: Set<string>
  unsupported: Set<string>
  faults: Map<string, number>
  /** How many runs reached each goal. */
  goals: Map<string, number>
  invariants: Map<InvariantName, InvariantTally>
  /** By invariant and kind. */
  firsts: Map<string, FirstViolation>
}

export function emptyTally(): Tally {
  return {
    ...{ runs: 0, messages: 0, effects: 0, done: 0, refused: 0, parked: 0 },
    ...{ incomplete: 0, whyIncomplete: null, digests: [], historyDigests: [] },
    ...{ schedules: new Set(), cells: new Set(), cellsSeen: new Set(), unsupported: new Set() },
    ...{ faults: new Map(), goals: new Map(), invariants: new Map(), firsts: new Map() },
  }
}

export interface JudgedRun {
  readonly run: number
  readonly result: RunResult
  readonly verdicts: readonly Judgement[]
  readonly reached: readonly string[]
}

export function addRun(tally: Tally, { run, result, verdicts, reached }: JudgedRun): void {
  tally.runs++
  tally.digests.push(result.digest)
  tally.schedules.add(result.scheduleHash)
  addAll(tally.cells, result.cells)
  addAll(tally.cellsSeen, result.cellsSeen)
  addAll(tally.unsupported, result.unsupported)
  countFacts(tally, result.history)
  for (const goal of reached) addCount(tally.goals, goal, 1)
  for (const { name, verdict } of verdicts) addVerdict(tally, name, verdict, run, result.digest)
}

/** Adds the counts of later runs to those of earlier ones. */
export function mergeTally(into: Tally, later: Tally): void {
  for (const count of ['runs', 'messages', 'effects', 'done', 'refused', 'parked', 'incomplete'] as const)
    into[count] += later[count]
  into.whyIncomplete ??= later.whyIncomplete
  into.digests.push(...later.digests)
  into.historyDigests.push(...later.historyDigests)
  for (const set of ['schedules', 'cells', 'cellsSeen', 'unsupported'] as const) addAll(into[set], later[set])
  for (const what of ['faults', 'goals'] as const)
    for (const [name, count] of later[what]) addCount(into[what], name, count)
  for (const [name, { violated, unknown, whyUnknown }] of later.invariants) {
    const sum = invariantOf(into, name)
    sum.violated += violated
    sum.unknown += unknown
    sum.whyUnknown ??= whyUnknown
  }
  for (const [what, first] of later.firsts) if (!into.firsts.has(what)) into.firsts.set(what, first)
}

function countFacts(tally: Tally, { events }: History): void {
  for (const event of events) {
    if (event.type === 'published' && !event.copy) tally.messages++
    else if (event.type === 'effect-applied') tally.effects++
    else if (event.type === 'settled' && event.as !== 'given-up') tally[event.as]++
    else if (event.type === 'fault-struck') addCount(tally.faults, event.fault, 1)
    else if (event.type === 'ended' && !event.complete) {
      tally.incomplete++
      tally.whyIncomplete ??= event.why ?? 'a run did not come to rest'
    }
  }
}

function addVerdict(tally: Tally, invariant: InvariantName, verdict: Verdict, run: number, digest: string): void {
  const sum = invariantOf(tally, invariant)
  if (verdict.verdict === 'unknown') {
    sum.unknown++
    sum.whyUnknown ??= verdict.reason
  }
  if (verdict.verdict !== 'violated') return
  sum.violated++
  for (const { kind } of verdict.violations) {
    const what = `${invariant} ${kind}`
    if (!tally.firsts.has(what)) tally.firsts.set(what, { invariant, kind, run, digest })
  }
}

function invariantOf(tally: Tally, name: InvariantName): InvariantTally {
  let sum = tally.invariants.get(name)
  if (sum === undefined) tally.invariants.set(name, (sum = { violated: 0, unknown: 0, whyUnknown: null }))
  return sum
}

function addCount(counts: Map<string, number>, name: string, more: number): void {
  counts.set(name, (counts.get(name) ?? 0) + more)
}

function addAll<T>(set: Set<T>, more: Iterable<T>): void {
  for (const one of more) set.add(one)
}
