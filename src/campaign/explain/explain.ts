/**
 * Explains why one layer broke. Violations are grouped by their paths, one run of each path is shrunk unless it shows a known
 * cause as it was drawn, and runs that turn out to have one cause become one finding. As a check, one explained run in ten is shrunk too: if it ends at
 * another cause, that cause is a finding of its own.
 *
 * Shrinking proceeds in fixed waves, in one order, with budgets of events. The outcome therefore depends neither on the
 * number of workers nor on their speed.
 */

import { worstFirst } from '../../contract/api/severity.ts'
import type { Cause } from '../../contract/results/results.ts'
import { pathName } from '../causes/path-of.ts'
import type { ExplainBudget } from '../play/campaign-request.ts'
import { cheaperThan } from '../play/cheaper-scenario.ts'
import type { Counterexample, Executor } from '../play/executor.ts'
import { type PairTask, type SearchLimits, shrinkTask } from '../play/tasks.ts'
import type { PathTally, ViolatingRun } from '../tally/tally.ts'
import type { CostedScenario } from '../token/pair-ref.ts'
import { causeName, isSameCause } from './same-cause.ts'
import { simplestFirst } from './simplest-first.ts'

/** One pair's runs along one path. */
export interface SeenPath {
  readonly task: PairTask
  readonly runMs: number
  readonly path: PathTally
}

/** One cause as its run shows it, and what it explains. */
export interface Explained {
  readonly cause: Cause
  readonly shown: Counterexample
  readonly seen: { readonly seen: SeenPath; readonly runs: readonly number[] }[]
}

/** Searches that run side by side before their outcomes are read. */
const wave = 4
/** For checking one explained run, which only leaves out faults. */
const checkBudget = 3_000

/** `cheaper`: the catalogue's scenarios that the layer can run under, the cheapest first. */
export async function explainLayer(
  seen: readonly SeenPath[],
  cheaper: readonly CostedScenario[],
  budget: ExplainBudget,
  executor: Pick<Executor, 'shrink'>,
): Promise<Explained[]> {
  return new Explanation(seen, cheaper, budget, executor).all()
}

/** Pairs that broke along one path. */
export interface Group {
  readonly name: string
  /** The cheapest first. */
  readonly seen: SeenPath[]
}

interface Wanted {
  readonly group: Group
  readonly seen: SeenPath
  readonly run: ViolatingRun
}

class Explanation {
  readonly #groups: readonly Group[]
  /** By the name of the cause that was found first. */
  readonly #byCause = new Map<string, Explained>()
  /** Under which name each cause that was found is kept. */
  readonly #nameOf = new Map<string, string>()
  /** Which cause explains a path. */
  readonly #ofPath = new Map<string, string>()
  /** Runs that were found to have another cause than their path has. */
  readonly #apart = new Map<string, Set<number>>()
  /** Groups whose first run was searched: others are explained by another one's search. */
  readonly #searched = new Set<string>()
  /** Groups whose runs were looked at as they were drawn. */
  readonly #asDrawn = new Set<string>()
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
    await this.#shrinkPaths()
    await this.#check()
    for (const group of this.#groups) this.#count(group)
    return [...this.#byCause.values()]
  }

  /** Every path that no cause explains yet, wave by wave. */
  async #shrinkPaths(): Promise<void> {
    for (;;) {
      const unexplained = this.#groups.filter(({ name }) => !this.#ofPath.has(name))
      if (unexplained.length === 0) return
      // Runs that stay as they were drawn explain no path but their own: none of them waits for others.
      const open = this.#left <= 0 ? unexplained : unexplained.slice(0, wave)
      if (this.#left > 0 && (await this.#recognise(open))) continue
      for (const { name } of open) this.#searched.add(name)
      const found = await this.#shrink(open.map(firstOf))
      for (const [at, shown] of found.entries()) {
        const cause = this.#note(shown)
        this.#ofPath.set(open[at]!.name, cause)
        // The shrunk run may lie on another path, which is explained with it.
        const small = pathName(shown.cause)
        if (shown.shrunk && !this.#ofPath.has(small)) this.#ofPath.set(small, cause)
      }
    }
  }

  /**
   * Answers whether the run of some group shows a known cause as it was drawn: that group needs no search. A run that breaks
   * without a fault that the known cause needs is searched: its cause may need less. So is one whose look
   * came to no end within its budget.
   */
  async #recognise(open: readonly Group[]): Promise<boolean> {
    const alike = open.filter(({ name, seen: [first] }) => {
      const { invariant, kind } = first!.path
      const isLike = ({ cause, shown }: Explained) =>
        cause.invariant === invariant && (cause.kind === kind || shown.ofAnyKind === true)
      return !this.#asDrawn.has(name) && [...this.#byCause.values()].some(isLike)
    })
    for (const { name } of alike) this.#asDrawn.add(name)
    // A search tells more than a look: four looks may spend a quarter of what is left.
    const budget = Math.min(this.budget.path, Math.floor(this.#left / 4 / wave))
    const looks = alike.map((one) => this.#ask(firstOf(one), { budget, mode: 'look' }))
    const drawn = await Promise.all(looks)
    let isKnown = false
    for (const [at, shown] of drawn.entries()) {
      this.#left -= shown.spent
      const cause = this.#knownAs(shown, (needs) => needs.every((kind) => shown.cause.needs.includes(kind)))
      if (cause === null) continue
      this.#ofPath.set(alike[at]!.name, cause)
      isKnown = true
    }
    return isKnown
  }

  async #check(): Promise<void> {
    const kept = Math.max(0, this.budget.layer - this.#left)
    let left = Math.min(this.budget.checks, this.budget.layer - kept)
    const waiting = this.#explainedRuns()
    // Searches that looks lead to are paid by the layer alone.
    while (waiting.length > 0 && Math.min(left, this.#left) >= checkBudget * wave) {
      const some = waiting.splice(0, wave)
      const looks = await Promise.all(some.map((one) => this.#ask(one, { budget: checkBudget, mode: 'check' })))
      for (const { spent } of looks) left -= spent
      this.#left -= looks.reduce((sum, { spent }) => sum + spent, 0)
      const isStrange = (shown: Counterexample) =>
        !this.#nameOf.has(causeName(shown.cause)) && this.#knownAs(shown) === null
      const strange = some.filter((_, at) => isStrange(looks[at]!))
      for (const [at, shown] of (await this.#shrink(strange)).entries()) this.#setApart(strange[at]!, shown)
    }
  }

  #setApart({ group, seen, run }: Wanted, shown: Counterexample): void {
    const cause = this.#note(shown)
    if (cause === this.#ofPath.get(group.name)) return
    const apart = `${group.name}\n${seen.task.scenarioPath}`
    this.#apart.set(apart, new Set([...(this.#apart.get(apart) ?? []), run.run]))
    this.#byCause.get(cause)!.seen.push({ seen, runs: [run.run] })
  }

  /** Of every tenth run, those that are explained and were not shrunk themselves. */
  #explainedRuns(): Wanted[] {
    return this.#groups.flatMap((group) =>
      group.seen.flatMap((seen, nth) =>
        seen.path.checked
          .filter(({ run }) => nth > 0 || run !== seen.path.first.run || !this.#searched.has(group.name))
          .map((run) => ({ group, seen, run })),
      ),
    )
  }

  async #shrink(wanted: readonly Wanted[]): Promise<Counterexample[]> {
    const share = Math.max(0, this.#left / Math.max(1, wanted.length))
    // A quarter more is for the nearest run that holds.
    const each = Math.min(this.budget.path, Math.floor(share / 1.25))
    const found = await Promise.all(wanted.map((one) => this.#ask(one, { budget: each, mode: 'finding' })))
    for (const { spent } of found) this.#left -= spent
    return found
  }

  #ask({ seen: { task, runMs, path }, run }: Wanted, limits: Omit<SearchLimits, 'cheaper'>): Promise<Counterexample> {
    const cheaper = cheaperThan(runMs, this.cheaper)
    return this.executor.shrink(shrinkTask(task, path, { cheaper, ...limits }, run))
  }

  /** Of two runs with one cause, the simpler one is shown. */
  #note(shown: Counterexample): string {
    const { cause } = shown
    const name = this.#nameOf.get(causeName(cause)) ?? this.#knownAs(shown) ?? causeName(cause)
    this.#nameOf.set(causeName(cause), name)
    const known = this.#byCause.get(name)
    if (known === undefined) this.#byCause.set(name, { cause, shown, seen: [] })
    else if (simplestFirst(shown, known.shown) < 0) this.#byCause.set(name, { ...known, cause, shown })
    return name
  }

  /** The name of the first cause that is the same, and whose needs will do; null where there is none. */
  #knownAs(shown: Counterexample, willDo: (needs: readonly string[]) => boolean = () => true): string | null {
    for (const [name, { cause, shown: known }] of this.#byCause)
      if (isSameCause(known, shown) && willDo(cause.needs)) return name
    return null
  }

  #count({ name, seen }: Group): void {
    const explained = this.#byCause.get(this.#ofPath.get(name)!)!
    for (const one of seen) {
      const apart = this.#apart.get(`${name}\n${one.task.scenarioPath}`)
      const runs = one.path.runs.filter((run) => !apart?.has(run))
      if (runs.length > 0) explained.seen.push({ seen: one, runs })
    }
  }
}

const firstOf = (group: Group): Wanted => ({ group, seen: group.seen[0]!, run: group.seen[0]!.path.first })

/** The most severe first; among equals the cheapest. */
export function groupsOf(seen: readonly SeenPath[]): Group[] {
  const groups = new Map<string, Group>()
  const cheapestFirst = [...seen].sort((a, b) => a.runMs - b.runMs || compare(a.task.scenarioName, b.task.scenarioName))
  for (const one of cheapestFirst) {
    const name = pathName(one.path)
    const group = groups.get(name)
    if (group === undefined) groups.set(name, { name, seen: [one] })
    else group.seen.push(one)
  }
  // Sorting is stable: the cheapest first within equals.
  return [...groups.values()].sort(({ seen: [a] }, { seen: [b] }) => worstFirst(a!.path, b!.path))
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
