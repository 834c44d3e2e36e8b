/**
 * The counts of some runs of one pair: plain data, so that tallies of other threads and machines
 * can be merged.
 */
import type { RiskName } from '../../contract/api/risk.ts'
import type { InvariantName, Violation } from '../../contract/api/verdict.ts'
import type { Trail } from '../token/trail.ts'

export interface InvariantTally {
  violated: number
  unknown: number
  /** The reason of the first unknown verdict. */
  whyUnknown: string | null
}

/** The runs in which a kind of fault was planned but never struck. */
export interface UnstruckTally {
  runs: number
  /** The number of runs in which the fault's moment came but there was no target. */
  cameUp: number
}

/** A run that broke an invariant: its address, and a sentence about the violation. */
export interface ViolatingRun {
  readonly run: number
  /** The digest of the whole run (`RunResult.digest`). */
  readonly digest: string
  readonly trail: Trail
  readonly key: string | null
  readonly sentence: string
  readonly eventCount: number
  /**
   * True if the run had more events than usual. A shorter run along the same path replaces it as
   * the example.
   */
  readonly isLong?: boolean
}

/** All runs that broke an invariant in one way along one path, with one deciding step. */
export interface PathTally extends Pick<Violation, 'sinkForgot'> {
  readonly invariant: InvariantName
  readonly kind: string
  /** Labels of commands, sorted (`path-of.ts`). */
  readonly path: readonly string[]
  /** The deciding step (`deciding-step.ts`). */
  readonly decidedBy: string | null
  first: ViolatingRun
  /**
   * The run numbers, ascending. `checked`: the runs that may be examined as a check (`isChecked`).
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
  /** The run numbers, ascending. */
  readonly runs: number[]
}

export interface ScriptTally {
  readonly body: string
  readonly executable: readonly number[]
  readonly executed: Set<number>
}

export interface Tally {
  runs: number
  /** The number of events of simulated worlds that were played (`RunResult.eventCount`). */
  spent: number
  messages: number
  effects: number
  done: number
  accepted: number
  refused: number
  deadLettered: number
  /**
   * The number of runs that exhausted a budget before the world came to rest, and the reason of the
   * first such run.
   */
  incomplete: number
  whyIncomplete: string | null
  /** Why no further run can be judged: the layer could not be used in one of them. */
  unusable: string | null
  /** The digests in the order of runs. */
  digests: string[]
  /** Digests of the sampled runs, in the order of runs. */
  historyDigests: string[]
  schedules: Set<string>
  cells: Set<string>
  cellsSeen: Set<string>
  /**
   * Pairs of neighboring commands, and the faults that struck between the two
   * (`src/run/neighbours.ts`).
   */
  pairs: Set<string>
  separated: Set<string>
  unsupported: Set<string>
  /** Keys in a Cluster, each prefixed by its slot number and a space. */
  slotKeys: Set<string>
  /**
   * All scripts of the layer with their executed lines, by SHA-1. A script that was never sent has
   * no executed lines.
   */
  scripts: Map<string, ScriptTally>
  /** How often each kind of fault struck. */
  faults: Map<string, number>
  unstruck: Map<string, UnstruckTally>
  /** The number of commands in a Cluster that name a key, by `shard/slot`. */
  slotCommands: Map<string, number>
  /** How many runs reached each goal. */
  goals: Map<string, number>
  invariants: Map<InvariantName, InvariantTally>
  /** The violations by invariant, kind and path (`pathName`), in the order of their first runs. */
  paths: Map<string, PathTally>
  /**
   * The violations that accepted risks explain, by risks, invariant and kind. They are counted only
   * here.
   */
  risks: Map<string, AcceptedTally>
  /** New coverage: each item, with the first run that reached it (`new-coverage.ts`). */
  newCoverage: Map<string, number>
}

/**
 * True for one violating run in ten. Such a run is examined even if its path is explained, to check
 * that it has the same cause.
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

/** Merges the counts of later runs into the counts of earlier runs. */
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
