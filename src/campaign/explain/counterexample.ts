/** Shrinks one violating run, and tells it in the cheapest scenario that can express it. */

import { hashText } from 'virtual-node/kernel'
import type { Plan } from '../../contract/api/plan.ts'
import { isOwn, type Violation } from '../../contract/api/verdict.ts'
import type { Film } from '../../contract/results/film.ts'
import type { Cause } from '../../contract/results/results.ts'
import type { Timeline } from '../../contract/results/timeline.ts'
import type { CampaignDeps, RunResult, WorldRequest } from '../play/campaign-deps.ts'
import { canExpress, onOneServer } from '../play/cheaper-scenario.ts'
import { type DrawnRun, drawRun } from '../play/draw-run.ts'
import { EventBudget } from '../play/event-budget.ts'
import { type LoadedPair, loadPair } from '../play/load-pair.ts'
import { LeakError, NondeterminismError } from '../play/nondeterminism.ts'
import { pairName, type ScenarioRef } from '../play/pair-ref.ts'
import { PlayedBefore } from '../play/played-before.ts'
import { explain, planOf, requestOf } from '../play/run-chunk.ts'
import { addressOf, type ShrinkTask } from '../play/tasks.ts'
import { whyUnusable } from '../play/unusable.ts'
import { type ChoiceLists, type RunChoices, sourceOf } from '../replay/run-choices.ts'
import type { RecordedRun } from '../replay/token.ts'
import { trailOf } from '../replay/trail.ts'
import { decidingStep } from './deciding-step.ts'
import { nearestPassing } from './neighbour.ts'
import { pathOf } from './path-of.ts'
import { planSpaceOf } from './shrink/plan-space.ts'
import type { Breaks } from './shrink/search.ts'
import { drawnCandidate, leaveOutFaults, shrinkRun } from './shrink/shrink-run.ts'
import { type ToldViolation, tellViolation } from './told-violation.ts'

export interface Counterexample extends ToldViolation {
  readonly cause: Cause
  /** Whether it is smaller than the run that was drawn, or a smaller one was looked for to the end and there was none. */
  readonly shrunk: boolean
  /** Null where no finding is to show it. */
  readonly timeline: Timeline | null
  /** The nearest run that holds; absent where none was looked for. */
  readonly neighbour?: RecordedNeighbour
  /** Events that the searches played. */
  readonly spent: number
}

/** `recorded` and `timeline` are null where `what` says why there is none. */
export interface RecordedNeighbour {
  readonly what: string
  readonly recorded: RecordedRun | null
  readonly timeline: Timeline | null
}

/**
 * Where state of the adapter's modules outlives a run, the search is made again, with modules loaded for every run.
 * @throws LoadError, LeakError, NondeterminismError
 */
export async function findCounterexample(
  task: ShrinkTask,
  deps: CampaignDeps,
  played: PlayedBefore = new PlayedBefore(),
): Promise<Counterexample> {
  try {
    return await search(task, deps, played)
  } catch (error) {
    if (!(error instanceof LeakError) || task.fresh) throw error
    return search({ ...task, fresh: true }, deps, played)
  }
}

async function search(task: ShrinkTask, deps: CampaignDeps, played: PlayedBefore): Promise<Counterexample> {
  const pair = await loadPair(task, deps)
  const asDrawn = requestOf(task, pair, task.run)
  deps.playing(addressOf(task, task.run))
  const first = await deps.runWorld({ ...asDrawn, record: true })
  if (first.digest !== task.digest) throw await differing(task, asDrawn, first, deps)
  const searched = new Search(task, pair, asDrawn, deps, played)
  const home = { scenarioPath: task.scenarioPath, scenarioName: task.scenarioName }
  if (task.asDrawn) return searched.look(home, first)
  return searched.tell(task.budget === 0 ? searched.unshrunk(home) : await searched.smallest(home))
}

/** So much later than twice as late may a smaller run break. */
const moreUs = 5_000_000

/** A run that breaks in the way that is searched for. */
interface Found {
  readonly where: ScenarioRef
  readonly pair: LoadedPair
  readonly plan: Plan
  readonly choices: RunChoices
  readonly shrunk: boolean
}

class Search {
  readonly #budget: EventBudget
  readonly #neighbourhood: EventBudget

  constructor(
    private readonly task: ShrinkTask,
    private readonly pair: LoadedPair,
    private readonly asDrawn: WorldRequest,
    private readonly deps: CampaignDeps,
    private readonly played: PlayedBefore,
  ) {
    this.#budget = new EventBudget(task.budget)
    this.#neighbourhood = new EventBudget(Math.ceil(task.budget / 4))
  }

  unshrunk(where: ScenarioRef): Found {
    const { pair, asDrawn } = this
    return { where, pair, plan: asDrawn.plan, choices: { choiceSeed: asDrawn.choices.seed }, shrunk: false }
  }

  /** `first`: the run as it was drawn, recorded. */
  look(where: ScenarioRef, first: RunResult): Promise<Counterexample> {
    this.#budget.spend(first.eventCount)
    return this.#told(this.unshrunk(where), first)
  }

  async smallest(home: ScenarioRef): Promise<Found> {
    const drawn = drawRun(this.pair.scenario, this.task.seed, this.task.run)
    if (this.task.faultsOnly) return this.#shrunkIn(home, this.pair, drawn, same)
    return (
      (await this.#smallestOnOneServer(drawn)) ?? this.#cheapest(await this.#shrunkIn(home, this.pair, drawn, same))
    )
  }

  /** Searches without a deployment first: runs with one server cost a fraction. */
  async #smallestOnOneServer(drawn: DrawnRun): Promise<Found | null> {
    // No other scenario judges one's own invariants.
    if (this.pair.scenario.shape === 'single' || isOwn(this.task.invariant)) return null
    for (const where of this.task.cheaper) {
      const pair = await this.#pairIn(where)
      if (pair?.scenario.shape !== 'single') continue
      const choiceSeed = await this.#luck(pair, onOneServer(this.asDrawn.plan))
      if (choiceSeed === null) return null
      const named = await this.#cheapest(await this.#shrunkIn(where, pair, { ...drawn, choiceSeed }, onOneServer))
      // Without its deployment it is smaller, whatever else was found.
      return canExpress(named.pair.scenario, named.plan) ? { ...named, shrunk: true } : null
    }
    return null
  }

  /** A seed of choices with which the plan breaks there: the choices of its own run do not fit another scenario. */
  async #luck(pair: LoadedPair, plan: Plan): Promise<number | null> {
    const { seed } = this.asDrawn.choices
    for (const one of [seed, ...[1, 2, 3, 4, 5].map((again) => hashText(`elsewhere ${again}`, seed))])
      if ((await this.#breaks(pair, plan, { choiceSeed: one })) !== null) return one
    return null
  }

  async #shrunkIn(where: ScenarioRef, pair: LoadedPair, drawn: DrawnRun, as: (plan: Plan) => Plan): Promise<Found> {
    const asTold = (plan: Plan) => as(planOf(this.task, plan))
    const breaks = (plan: Plan, choices: RunChoices) => this.#breaks(pair, asTold(plan), choices)
    if (this.task.faultsOnly) {
      const { plan, choices } = await leaveOutFaults(drawnCandidate(drawn), breaks, this.#budget)
      return { where, pair, plan: asTold(plan), choices, shrunk: true }
    }
    const space = planSpaceOf(this.pair.scenario, this.task.run)
    const soon = await this.#breaksSoon(pair, asTold, drawn)
    const small = soon === null ? null : await shrinkRun(space, drawn, soon, this.#budget)
    const isSmall = small !== null && (await this.#played(pair, asTold(small.plan), small.choices)) !== null
    const { plan, choices, made } = isSmall
      ? await leaveOutFaults(small, breaks, this.#budget)
      : await shrinkRun(space, drawn, breaks, this.#budget)
    const isAsDrawn = made === null && !(isSmall && small.made !== null)
    const isCutShort = this.#budget.isSpent || this.deps.stopped()
    return { where, pair, plan: asTold(plan), choices, shrunk: !isAsDrawn || !isCutShort }
  }

  /**
   * Breaks as soon as the smallest run so far, or not much later: most runs go on for long after they broke, and with a
   * fault less some would break at another time for another reason. Null where the run that was drawn does not break so if it
   * goes no further: what it breaks shows only when the world has come to rest.
   */
  async #breaksSoon(
    pair: LoadedPair,
    as: (plan: Plan) => Plan,
    { value, choiceSeed }: DrawnRun,
  ): Promise<Breaks | null> {
    let untilUs = Number.MAX_SAFE_INTEGER
    const breaks: Breaks = async (plan, choices) => {
      if (this.deps.stopped()) return null
      const broke = await this.#broke(pair, as(plan), choices, untilUs)
      if (broke !== null) untilUs = Math.min(untilUs, 2 * broke.atUs + moreUs)
      return broke?.made ?? null
    }
    const drawn = [value.value, { choiceSeed }] as const
    return (await breaks(...drawn)) !== null && (await breaks(...drawn)) !== null ? breaks : null
  }

  /** The same run, told in the cheapest scenario that claims something of such runs. */
  async #cheapest(found: Found): Promise<Found> {
    for (const where of this.task.cheaper) {
      if (where.scenarioName === found.where.scenarioName) {
        if (canExpress(found.pair.scenario, found.plan)) return found
        continue
      }
      const pair = await this.#pairIn(where)
      if (pair?.scenario.shape !== found.pair.scenario.shape) continue
      if (!pair.scenario.invariants.includes(this.task.invariant) || !canExpress(pair.scenario, found.plan)) continue
      if ((await this.#breaks(pair, found.plan, found.choices)) !== null) return { ...found, where, pair }
    }
    return found
  }

  async tell(found: Found): Promise<Counterexample> {
    const { pair, plan, choices } = found
    const { faultsOnly, forFinding, isRead } = this.task
    const request = { ...this.asDrawn, ...pair, plan, choices: sourceOf(choices), record: true }
    const result = await this.deps.runWorld({
      ...request,
      positions: !faultsOnly && isRead,
      // A process that replays its token has loaded no modules before. A look at the cause gives no token.
      scrutinise: !faultsOnly,
      listChoices: forFinding,
      film: forFinding,
    })
    return this.#told(found, result)
  }

  async #told(found: Found, result: RunResult): Promise<Counterexample> {
    const { task, deps } = this
    const { where, pair, plan, choices, shrunk } = found
    const violation = this.#violationOf(result, pair)
    if (violation === null) throw this.#unlikeItself()
    const { invariant, kind, decidedBy } = task
    // Each fault left out is a run; who reads no story reads no cause either.
    const needs = task.isRead ? await this.#needs(found) : []
    const cause = { invariant, kind, path: pathOf(result, violation), decidedBy, needs }
    const recorded = {
      ...pairName({ ...task, ...where }),
      seed: task.seed,
      run: task.run,
      plan,
      ...choices,
      ...trailOf(result),
    }
    const told = tellViolation({ invariant, violation }, result, recorded, deps)
    const { history, film } = result
    const timeline = task.forFinding ? deps.draw({ history, film: filmed(film) }, violation, told.story) : null
    const neighbour = await this.#neighbour(found, recorded, result, violation)
    const spent = this.#budget.spent + this.#neighbourhood.spent
    return {
      ...told,
      cause,
      shrunk,
      timeline,
      ...(neighbour === null ? {} : { neighbour }),
      spent,
    }
  }

  async #neighbour(
    { pair, plan, choices }: Found,
    recorded: RecordedRun,
    result: RunResult,
    violation: Violation,
  ): Promise<RecordedNeighbour | null> {
    if (this.task.budget === 0 || !this.task.forFinding) return null
    const { invariant } = this.task
    const names = [...new Set([invariant, ...pair.scenario.invariants])]
    const play = async (some: Plan, chosen: RunChoices) => {
      if (this.deps.stopped()) return null
      const request = { ...this.asDrawn, ...pair, plan: some, choices: sourceOf(chosen) }
      const played = await this.deps.runWorld(request)
      this.#neighbourhood.spend(played.eventCount)
      const [own, ...others] = this.deps.judge(played.history, names, pair.scenario.own)
      const breaks = others.filter(({ verdict }) => verdict.verdict === 'violated').map(({ name }) => name)
      return { result: played, keeps: own!.verdict.verdict === 'valid', breaks }
    }
    const { what, run } = await nearestPassing(
      { invariant, plan, choices, result, brokeUs: brokeUs(result, violation) },
      play,
      this.#neighbourhood,
    )
    if (run === null) return { what, recorded: null, timeline: null }
    const { choiceSeed: _, choices: __, ...address } = recorded
    const { history, film } = await this.deps.runWorld({
      ...{ ...this.asDrawn, ...pair, plan: run.plan, choices: sourceOf(run.choices) },
      ...{ record: true, film: true },
    })
    const timeline = this.deps.drawNeighbour({ history, film: filmed(film) }, violation.key)
    return { what, recorded: { ...address, plan: run.plan, ...run.choices, ...trailOf(run.result) }, timeline }
  }

  /**
   * Kinds of the faults without which it does not break by the deciding step. A search that ended by itself has tried that; otherwise each
   * fault is left out in turn, until its kind is known to be needed. A look ends where its budget does.
   */
  async #needs({ pair, plan, choices, shrunk }: Found): Promise<string[]> {
    const needed = new Set<string>()
    for (const [at, { kind }] of plan.faults.entries()) {
      if (needed.has(kind)) continue
      if (this.task.asDrawn && this.#budget.isSpent) break
      const without = { ...plan, faults: plan.faults.filter((_, index) => index !== at) }
      const known = shrunk && !this.#budget.isSpent && !this.deps.stopped()
      if (known || (await this.#played(pair, without, choices)) === null) needed.add(kind)
    }
    return [...needed].sort()
  }

  /** Nothing smaller is taken once the user asked to stop. */
  async #breaks(pair: LoadedPair, plan: Plan, choices: RunChoices): Promise<ChoiceLists | null> {
    return this.deps.stopped() ? null : this.#played(pair, plan, choices)
  }

  /** What was chosen; null where it does not break in the same way. */
  async #played(pair: LoadedPair, plan: Plan, choices: RunChoices): Promise<ChoiceLists | null> {
    return (await this.#broke(pair, plan, choices))?.made ?? null
  }

  /** The same, with when it broke; of a run that is played until `untilUs`, or until it ends. */
  async #broke(
    pair: LoadedPair,
    plan: Plan,
    choices: RunChoices,
    untilUs?: number,
  ): Promise<{ readonly made: ChoiceLists; readonly atUs: number } | null> {
    const cut = untilUs === undefined ? {} : { untilUs }
    const request = { ...this.asDrawn, ...pair, plan, choices: sourceOf(choices), ...cut }
    const result = await this.played.play(request, this.deps)
    this.#budget.spend(result.eventCount)
    const violation = this.#violationOf(result, pair)
    return violation === null ? null : { made: result.made, atUs: brokeUs(result, violation) }
  }

  /** Of several, the one along the path that is searched for: others may be another bug, about other keys. */
  #violationOf(result: Pick<RunResult, 'history' | 'executed'>, { scenario }: LoadedPair): Violation | null {
    const { invariant, kind, decidedBy, path } = this.task
    const alike = this.deps
      .judge(result.history, [invariant], scenario.own)
      .flatMap(({ verdict }) => (verdict.verdict === 'violated' ? verdict.violations : []))
      .filter((violation) => violation.kind === kind)
    const isDecidedSo = (violation: Violation) => decidingStep(result, violation) === decidedBy
    const isOnPath = (violation: Violation) => pathOf(result, violation).join() === path.join()
    return alike.find((one) => isOnPath(one) && isDecidedSo(one)) ?? alike.find(isDecidedSo) ?? null
  }

  #unlikeItself(): Error {
    const { run, fresh } = this.task
    const what = `run ${run} shrank to one that does not break again`
    return fresh ? new NondeterminismError(what) : new LeakError(what)
  }

  /** Null where the layer cannot be played there. */
  async #pairIn(where: ScenarioRef): Promise<LoadedPair | null> {
    const scenario = await this.deps.loadScenario(where.scenarioPath)
    const why = whyUnusable(this.pair.implementation.implementation, scenario, this.task.sink)
    return why === null ? loadPair({ ...this.task, ...where }, this.deps) : null
  }
}

const same = (plan: Plan): Plan => plan

/** When it broke, in virtual microseconds. */
const brokeUs = ({ history }: Pick<RunResult, 'history'>, { events }: Violation): number =>
  Math.max(0, ...events.map((seq) => history.events[seq]!.atUs))

function filmed(film: Film | null): Film {
  if (film === null) throw new Error('a run that was to be filmed has no film')
  return film
}

/** The campaign's own run is not kept; this one stands in for it. */
async function differing(task: ShrinkTask, asDrawn: WorldRequest, hot: RunResult, deps: CampaignDeps): Promise<Error> {
  const alone = () => deps.runWorld({ ...asDrawn, record: true, scrutinise: true })
  return explain(task.run, hot, await alone(), alone)
}
