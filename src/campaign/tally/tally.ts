/** What some runs of one pair came to: plain data that adds up, wherever it was counted. */
import type { RiskName } from '../../contract/api/risk.ts'
import type { InvariantName, Violation } from '../../contract/api/verdict.ts'
import type { Trail } from '../token/trail.ts'

export interface InvariantTally {
  violated: number
  unknown: number
  /** Why the first of the unknown ones is unknown. */
  whyUnknown: string | null
}

/** Runs in which a kind of fault was planned and never struck. */
export interface UnstruckTally {
  runs: number
  /** Those in which its moment came, and there was nothing to strike. */
  cameUp: number
}

/** A run that broke an invariant: its address, and one sentence about it. */
export interface ViolatingRun {
  readonly run: number
  /** Of all of it (`RunResult.digest`). */
  readonly digest: string
  readonly trail: Trail
  readonly key: string | null
  readonly sentence: string
  readonly eventCount: number
  /** It went on for much longer than others. A shorter one that shows the same is the example. */
  readonly isLong?: boolean
}

/** All runs that broke an invariant in one way along one path, by one deciding step. */
export interface PathTally extends Pick<Violation, 'sinkForgot'> {
  readonly invariant: InvariantName
  readonly kind: string
  /** Labels of commands, sorted (`path-of.ts`). */
  readonly path: readonly string[]
  /** The step that let the attempt go on (`deciding-step.ts`). */
  readonly decidedBy: string | null
  first: ViolatingRun
  /**
   * Their numbers, ascending, and the digests of those that are looked at as a check (`isChecked`).
   */
  readonly runs: number[]
  readonly checked: ViolatingRun[]
}

/** All runs in which accepted risks explain a violation of one kind. */
export interface AcceptedTally {
  readonly risks: readonly RiskName[]
  readonly invariant: InvariantName
  readonly kind: string
  readonly first: ViolatingRun
  /** Ascending. */
  readonly runs: number[]
}

export interface ScriptTally {
  readonly body: string
  readonly executable: readonly number[]
  readonly executed: Set<number>
}

export interface Tally {
  runs: number
  /** Events of simulated worlds (`RunResult.eventCount`). */
  spent: number
  messages: number
  effects: number
  done: number
  accepted: number
  refused: number
  deadLettered: number
  /** Runs that spent a budget before the world came to rest, and why the first of them did. */
  incomplete: number
  whyIncomplete: string | null
  /** Why no more of its runs can be judged: the layer cannot be used in one of them. */
  unusable: string | null
  /** In the order of runs. */
  digests: string[]
  /** Of the sampled runs, in the order of runs. */
  historyDigests: string[]
  schedules: Set<string>
  cells: Set<string>
  cellsSeen: Set<string>
  /** Pairs of neighboring commands, and what struck between the two (`src/run/neighbours.ts`). */
  pairs: Set<string>
  separated: Set<string>
  unsupported: Set<string>
  /** Keys of a Cluster, each after the number of its slot and a blank. */
  slotKeys: Set<string>
  /**
   * Scripts that the layer has, and their lines that were executed: none of one that was never
   * sent. By SHA-1.
   */
  scripts: Map<string, ScriptTally>
  /** How often each kind of fault struck. */
  faults: Map<string, number>
  unstruck: Map<string, UnstruckTally>
  /** Commands of a Cluster that name a key, by `shard/slot`. */
  slotCommands: Map<string, number>
  /** How many runs reached each goal. */
  goals: Map<string, number>
  invariants: Map<InvariantName, InvariantTally>
  /** By way and path (`pathName`), in the order of their first runs. */
  paths: Map<string, PathTally>
  /** By risks, invariant and kind; these violations count nowhere else. */
  risks: Map<string, AcceptedTally>
  /** New coverage: each item with the run that first brought it (`new-coverage.ts`). */
  newCoverage: Map<string, number>
}

/**
 * One violating run in ten is shrunk although its path is explained, to check that it has the same
 * cause.
 */
export function isChecked(run: number): boolean {
  return run % 10 === 0
}

export function emptyTally(): Tally {
  return {
    runs: 0,
    spent: 0,
    messages: 0,
    effects: 0,
    done: 0,
    accepted: 0,
    refused: 0,
    deadLettered: 0,
    incomplete: 0,
    whyIncomplete: null,
    unusable: null,
    digests: [],
    historyDigests: [],
    schedules: new Set(),
    cells: new Set(),
    cellsSeen: new Set(),
    pairs: new Set(),
    separated: new Set(),
    unsupported: new Set(),
    slotKeys: new Set(),
    scripts: new Map(),
    faults: new Map(),
    unstruck: new Map(),
    slotCommands: new Map(),
    goals: new Map(),
    invariants: new Map(),
    paths: new Map(),
    risks: new Map(),
    newCoverage: new Map(),
  }
}

/** Adds the counts of later runs to those of earlier ones. */
export function mergeTally(into: Tally, later: Tally): void {
  for (const count of [
    'runs',
    'spent',
    'messages',
    'effects',
    'done',
    'accepted',
    'refused',
    'deadLettered',
    'incomplete',
  ] as const)
    into[count] += later[count]
  into.whyIncomplete ??= later.whyIncomplete
  into.unusable ??= later.unusable
  into.digests.push(...later.digests)
  into.historyDigests.push(...later.historyDigests)
  for (const set of ['schedules', 'cells', 'cellsSeen', 'pairs', 'separated', 'unsupported', 'slotKeys'] as const)
    addAll(into[set], later[set])
  for (const what of ['faults', 'goals', 'slotCommands'] as const)
    for (const [name, count] of later[what]) addCount(into[what], name, count)
  for (const [kind, missed] of later.unstruck) addUnstruck(into, kind, missed)
  for (const [name, { violated, unknown, whyUnknown }] of later.invariants) {
    const sum = invariantOf(into, name)
    sum.violated += violated
    sum.unknown += unknown
    sum.whyUnknown ??= whyUnknown
  }
  for (const [sha, lines] of later.scripts) addLines(into, sha, lines)
  for (const [name, path] of later.paths) addPath(into, name, path)
  for (const accepted of later.risks.values()) addAccepted(into, accepted)
  for (const [item, run] of later.newCoverage) if (!into.newCoverage.has(item)) into.newCoverage.set(item, run)
}

export function addPath({ paths }: Tally, name: string, later: PathTally): void {
  const path = paths.get(name)
  if (path === undefined) {
    paths.set(name, { ...later, runs: [...later.runs], checked: [...later.checked] })
    return
  }
  if (path.first.isLong && !later.first.isLong) path.first = later.first
  path.runs.push(...later.runs)
  path.checked.push(...later.checked)
}

export function addAccepted({ risks }: Tally, later: AcceptedTally): void {
  const name = `${later.risks.join()} ${later.invariant} ${later.kind}`
  const known = risks.get(name)
  if (known === undefined) risks.set(name, { ...later, runs: [...later.runs] })
  else known.runs.push(...later.runs.filter((run) => run !== known.runs.at(-1)))
}

export function addLines(tally: Tally, sha: string, { body, executable, executed }: ScriptTally): void {
  let script = tally.scripts.get(sha)
  if (script === undefined) tally.scripts.set(sha, (script = { body, executable, executed: new Set() }))
  addAll(script.executed, executed)
}

export function addUnstruck({ unstruck }: Tally, kind: string, { runs, cameUp }: UnstruckTally): void {
  const sum = unstruck.get(kind)
  unstruck.set(kind, { runs: runs + (sum?.runs ?? 0), cameUp: cameUp + (sum?.cameUp ?? 0) })
}

export function invariantOf(tally: Tally, name: InvariantName): InvariantTally {
  let sum = tally.invariants.get(name)
  if (sum === undefined) tally.invariants.set(name, (sum = { violated: 0, unknown: 0, whyUnknown: null }))
  return sum
}

export function addCount(counts: Map<string, number>, name: string, more: number): void {
  counts.set(name, (counts.get(name) ?? 0) + more)
}

export function addAll<T>(set: Set<T>, more: Iterable<T>): void {
  for (const one of more) set.add(one)
}
