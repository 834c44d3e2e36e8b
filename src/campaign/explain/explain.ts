/**
 * Explains why one layer broke. Violations are grouped by their paths. One run of each path is
 * examined as it was drawn (a look). The look determines the root cause: the change that the layer
 * needs. Then one run of each root cause is shrunk as its example. On request, one run of every
 * path is shrunk. As a check, one violating run in ten is examined. If its reason differs from that
 * of its path, the run is grouped separately.
 *
 * Searches proceed in fixed waves, in one order, with budgets of events. So the outcome depends
 * neither on the number of workers nor on their speed.
 */

import { worstFirst } from '../../contract/api/severity.ts'
import type { Cause } from '../../contract/results/results.ts'
import { pathName } from '../causes/path-of.ts'
import type { ExplainBudget } from '../play/campaign-request.ts'
import { cheaperThan } from '../play/cheaper-scenario.ts'
import type { Counterexample, Executor, OnServers } from '../play/executor.ts'
import { type PairTask, type SearchLimits, shrinkTask } from '../play/tasks.ts'
import { firstIfSoon } from '../replay-live/on-servers.ts'
import type { PathTally, ViolatingRun } from '../tally/tally.ts'
import type { CostedScenario } from '../token/pair-ref.ts'
import { likelyFirst, rootOf } from './root-cause.ts'
import { isSameCause, isSameReason } from './same-cause.ts'
import { simplestFirst } from './simplest-first.ts'
import { triggerRank } from './trigger-rank.ts'

/** The runs of one pair along one path. */
export interface SeenPath {
  readonly task: PairTask
  readonly runMs: number
  readonly path: PathTally
}

/** One cause with the run that shows it and the runs that it explains. */
export interface Explained {
  readonly cause: Cause
  readonly shown: Counterexample
  readonly seen: { readonly seen: SeenPath; readonly runs: readonly number[] }[]
  /** The run that takes the least time on real servers, among all that were played. */
  readonly onServers?: OnServers | undefined
}

/** The number of searches that run concurrently before their outcomes are read. */
const wave = 4
/**
 * The budget of a look. A look plays the run once, and leaves out its faults in turn while the
 * budget lasts.
 */
const lookBudget = 2_000
/**
 * The maximum number of runs to shrink for a root cause, because an earlier shrunk run may turn out
 * to have another root cause.
 */
const mostTries = 3

/** `cheaper`: the catalogue's scenarios that the layer can run under, the cheapest first. */
export async function explainLayer(
  seen: readonly SeenPath[],
  cheaper: readonly CostedScenario[],
  budget: ExplainBudget,
  executor: Pick<Executor, 'shrink'>,
): Promise<Explained[]> {
  return new Explanation(seen, cheaper, budget, executor).all()
}

/** The pairs that broke along one path. */
export interface Group {
  readonly name: string
  /** The runs, the cheapest first. */
  readonly seen: SeenPath[]
}

interface Wanted {
  readonly seen: SeenPath
  readonly run: ViolatingRun
}

/** A run with the result of its search. */
interface Look extends Wanted {
  readonly runs: number
  shown: Counterexample
  /** The search result for this run that is fastest on real servers. */
  onServers?: OnServers | undefined
}

function show(look: Look, shown: Counterexample): void {
  look.onServers = firstIfSoon(shown.onServers, look.onServers)
  look.shown = shown
}

interface Root {
  readonly name: string
  readonly looks: Look[]
  tries: number
}

class Explanation {
  readonly #groups: readonly Group[]
  /** The look at the first run of each group. */
  readonly #looks = new Map<Group, Look>()
  /** Looks at runs whose reason differs from the reason of their path. */
  readonly #apart: Look[] = []
  #left: number

  constructor(
    seen: readonly SeenPath[],
    private readonly cheaper: readonly CostedScenario[],
    private readonly budget: ExplainBudget,
    private readonly executor: Pick<Executor, 'shrink'>,
  ) {
    this.#groups = groupsOf(seen)
    this.#left = budget.layer
  }

  async all(): Promise<Explained[]> {
    await this.#lookAtPaths()
    await this.#check()
    await this.#shrinkExamples()
    if (this.budget.all) await this.#shrinkOthers()
    await this.#drawExamples()
    return this.#explained()
  }

  async #lookAtPaths(): Promise<void> {
    // A long run costs as much as a hundred others, and shows the same.
    const wanted = this.#groups.map(({ seen: all }) => {
      const seen = all.find(({ path }) => !path.first.isLong) ?? all[0]!
      return { seen, run: seen.path.first }
    })
    for (const [at, shown] of (await this.#lookAt(wanted)).entries()) {
      const group = this.#groups[at]!
      const runs = group.seen.reduce((sum, { path }) => sum + path.runs.length, 0)
      this.#looks.set(group, { ...wanted[at]!, runs, shown, onServers: shown.onServers })
    }
  }

  /** Examines the checked runs that were not examined before. */
  async #check(): Promise<void> {
    const waiting = this.#groups.flatMap((group) => {
      const first = this.#looks.get(group)!
      return group.seen.flatMap((seen) =>
        seen.path.checked
          .filter(({ run }) => seen !== first.seen || run !== first.run.run)
          .map((run) => ({ group, seen, run })),
      )
    })
    const some = waiting.slice(0, Math.floor(this.budget.checks / lookBudget))
    for (const [at, shown] of (await this.#lookAt(some)).entries()) {
      const { group, seen, run } = some[at]!
      const first = this.#looks.get(group)!.shown
      const isLike = rootOf(shown).name === rootOf(first).name && isSameReason(shown, first)
      if (!isLike) this.#apart.push({ seen, run, runs: 1, shown, onServers: shown.onServers })
    }
  }

  /** Shrinks one run of each root cause, the likeliest root cause first. */
  async #shrinkExamples(): Promise<void> {
    const roots = this.#roots()
    const isShown = (name: string) => this.#all().some(({ shown }) => shown.shrunk && rootOf(shown).name === name)
    while (this.#left > 0) {
      const open = roots.filter(({ name, looks, tries }) => tries < Math.min(mostTries, looks.length) && !isShown(name))
      if (open.length === 0) return
      await this.#shrink(open.slice(0, wave).map((root) => root.looks[root.tries++]!))
    }
  }

  /** Adds a picture of a run as it was drawn to each root cause that no search reached. */
  async #drawExamples(): Promise<void> {
    const undrawn = this.#roots().filter(({ looks }) => looks.every(({ shown }) => shown.timeline === null))
    const looks = undrawn.map((root) => root.looks[0]!)
    const found = await Promise.all(looks.map((one) => this.#ask(one, { budget: 0, mode: 'finding' })))
    for (const [at, shown] of found.entries()) show(looks[at]!, shown)
  }

  async #shrinkOthers(): Promise<void> {
    const open = () => this.#all().filter(({ shown }) => !shown.shrunk)
    for (let left = open(); left.length > 0 && this.#left > 0; left = left.slice(wave))
      await this.#shrink(left.slice(0, wave))
  }

  /**
   * The root causes, the likeliest first. The runs of each root cause are sorted by how ordinary
   * their faults are, then by simplicity. Long runs come last: each search for a smaller one plays
   * many of them.
   */
  #roots(): Root[] {
    const roots = new Map<string, Root>()
    for (const look of this.#all()) {
      const { name } = rootOf(look.shown)
      const root = roots.get(name) ?? { name, looks: [], tries: 0 }
      roots.set(name, root)
      root.looks.push(look)
    }
    const rank = ({ shown: { cause } }: Look) => triggerRank(cause.needs)
    const isLong = ({ run }: Look) => Number(run.isLong ?? false)
    for (const { looks } of roots.values())
      looks.sort((a, b) => isLong(a) - isLong(b) || rank(a) - rank(b) || simplestFirst(a.shown, b.shown))
    const likely = ({ looks }: Root) => ({ members: looks.map(({ shown, runs }) => ({ ...shown, runs })) })
    return [...roots.values()].sort((a, b) => likelyFirst(likely(a), likely(b)))
  }

  #all(): Look[] {
    return [...this.#looks.values(), ...this.#apart]
  }

  async #lookAt(wanted: readonly Wanted[]): Promise<Counterexample[]> {
    const budget = Math.min(lookBudget, this.budget.path, this.budget.layer)
    // Looks at one run are asked for one after the other, so that a worker plays it only once.
    const asked = new Map(byRun(wanted).map((one) => [one, this.#ask(one, { budget, mode: 'look' })]))
    const looks = await Promise.all(wanted.map((one) => asked.get(one)!))
    for (const { spent } of looks) this.#left -= spent
    return looks
  }

  async #shrink(looks: readonly Look[]): Promise<void> {
    // A quarter of the budget is reserved for the nearest passing run.
    const each = Math.min(this.budget.path, Math.floor(this.#left / looks.length / 1.25))
    const found = await Promise.all(looks.map((one) => this.#ask(one, { budget: each, mode: 'finding' })))
    for (const [at, shown] of found.entries()) {
      this.#left -= shown.spent
      show(looks[at]!, shown)
    }
  }

  #ask({ seen: { task, runMs, path }, run }: Wanted, limits: Omit<SearchLimits, 'cheaper'>): Promise<Counterexample> {
    const cheaper = cheaperThan(runMs, this.cheaper)
    return this.executor.shrink(shrinkTask(task, path, { cheaper, ...limits }, run))
  }

  /** The causes. Runs with the same cause are one finding, which shows the simplest run. */
  #explained(): Explained[] {
    const explained: (Explained & { shown: Counterexample; cause: Cause; onServers?: OnServers | undefined })[] = []
    const note = ({ shown, onServers }: Look, seen: Explained['seen']) => {
      const known = explained.find((one) => isOneFinding(one.shown, shown))
      if (known === undefined) explained.push({ cause: shown.cause, shown, seen: [...seen], onServers })
      else {
        known.seen.push(...seen)
        known.onServers = firstIfSoon(known.onServers, onServers)
        if (simplestFirst(shown, known.shown) < 0) Object.assign(known, { cause: shown.cause, shown })
      }
    }
    const apart = new Map<SeenPath, Set<number>>()
    for (const { seen, run } of this.#apart) apart.set(seen, (apart.get(seen) ?? new Set<number>()).add(run.run))
    // Shrunk runs come first, so that similar runs are added to them.
    const shrunkFirst = (a: Look, b: Look) => Number(b.shown.shrunk) - Number(a.shown.shrunk)
    const groupOf = new Map([...this.#looks].map(([group, look]) => [look, group]))
    for (const look of this.#all().sort(shrunkFirst)) {
      const group = groupOf.get(look)
      const own = group?.seen.map((seen) => ({
        seen,
        runs: seen.path.runs.filter((run) => !apart.get(seen)?.has(run)),
      }))
      note(
        look,
        (own ?? [{ seen: look.seen, runs: [look.run.run] }]).filter(({ runs }) => runs.length > 0),
      )
    }
    return explained.filter(({ seen }) => seen.length > 0)
  }
}

function byRun(wanted: readonly Wanted[]): Wanted[] {
  const names = ({ seen: { task } }: Wanted) => `${task.scenarioName} ${task.sink}`
  return [...wanted].sort((a, b) => compare(names(a), names(b)) || a.run.run - b.run.run)
}

/**
 * True if both runs belong to one finding. The needs of runs that were not shrunk are not compared,
 * because such runs contain irrelevant faults.
 */
function isOneFinding(a: Counterexample, b: Counterexample): boolean {
  if (rootOf(a).name !== rootOf(b).name) return false
  const isAlike = a.cause.invariant === b.cause.invariant && a.cause.kind === b.cause.kind
  const isDecidedAlike = isAlike && a.cause.decidedBy === b.cause.decidedBy
  if (isDecidedAlike && !(a.shrunk && b.shrunk) && isSameReason(a, b)) return true
  return isSameCause(a, b)
}

/** The groups, the most severe first; of equally severe groups, the cheapest first. */
export function groupsOf(seen: readonly SeenPath[]): Group[] {
  const groups = new Map<string, Group>()
  const cheapestFirst = [...seen].sort((a, b) => a.runMs - b.runMs || compare(a.task.scenarioName, b.task.scenarioName))
  for (const one of cheapestFirst) {
    const name = pathName(one.path)
    const group = groups.get(name)
    if (group === undefined) groups.set(name, { name, seen: [one] })
    else group.seen.push(one)
  }
  // The sort is stable, so equally severe groups stay sorted by cost.
  return [...groups.values()].sort(({ seen: [a] }, { seen: [b] }) => worstFirst(a!.path, b!.path))
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
