import { LoadError } from 'virtual-node/runtime'
import type { Plan } from '../../contract/api/plan.ts'
import type { RiskName } from '../../contract/api/risk.ts'
import type { Violation } from '../../contract/api/verdict.ts'
import { namesOf, RisksOfRun } from '../accepted/risks-of-run.ts'
import { decidingStep } from '../causes/deciding-step.ts'
import { pathOf } from '../causes/path-of.ts'
import { EventBudget } from '../play/event-budget.ts'
import { type LoadedPair, loadPair } from '../play/load-pair.ts'
import type { PlayedBefore } from '../play/played-before.ts'
import type { ShrinkTask } from '../play/tasks.ts'
import { whyUnusable } from '../play/unusable.ts'
import type { ScenarioRef } from '../token/pair-ref.ts'
import { type ChoiceLists, type RunChoices, sourceOf } from '../token/run-choices.ts'
import type { CampaignDeps, RunResult, WorldRequest } from '../types.ts'

/** A run with the wanted violation. */
export interface Found {
  readonly where: ScenarioRef
  readonly pair: LoadedPair
  readonly plan: Plan
  readonly choices: RunChoices
  readonly shrunk: boolean
}

/** Plays the runs of one search, and checks each for the wanted violation. */
export class Player {
  readonly budget: EventBudget

  constructor(
    readonly task: ShrinkTask,
    readonly pair: LoadedPair,
    readonly asDrawn: WorldRequest,
    readonly deps: CampaignDeps,
    private readonly before: PlayedBefore,
  ) {
    this.budget = new EventBudget(task.budget)
  }

  requestOf({ pair, plan, choices }: Pick<Found, 'pair' | 'plan' | 'choices'>): WorldRequest {
    return { ...this.asDrawn, ...pair, plan, choices: sourceOf(choices) }
  }

  /** Like `played`, but null if the user asked to stop, so that no smaller run is accepted. */
  async breaks(pair: LoadedPair, plan: Plan, choices: RunChoices): Promise<ChoiceLists | null> {
    return this.deps.stopped() ? null : this.played(pair, plan, choices)
  }

  /** The choices of the run; null if it lacks the wanted violation. */
  async played(pair: LoadedPair, plan: Plan, choices: RunChoices): Promise<ChoiceLists | null> {
    return (await this.broke(pair, plan, choices))?.made ?? null
  }

  /**
   * Like `played`, with the time of the violation. The run is played until `untilUs`, or until it
   * ends.
   */
  async broke(
    pair: LoadedPair,
    plan: Plan,
    choices: RunChoices,
    untilUs?: number,
  ): Promise<{ readonly made: ChoiceLists; readonly atUs: number } | null> {
    const cut = untilUs === undefined ? {} : { untilUs }
    const request = this.requestOf({ pair, plan, choices })
    const result = await unlessUnusable(this.before.play({ ...request, ...cut }, this.deps))
    if (result === null) return null
    this.budget.spend(result.eventCount)
    const violation = await this.violationOf(result, pair, request)
    return violation === null ? null : { made: result.made, atUs: brokeUs(result, violation) }
  }

  /**
   * The wanted violation that accepted risks do not explain. If there are several, prefers the
   * violation along the wanted path, because other violations may have another cause at other keys.
   */
  async violationOf(
    result: Pick<RunResult, 'history' | 'executed'>,
    { scenario, accepts = [] }: LoadedPair,
    request: WorldRequest,
  ): Promise<Violation | null> {
    const { invariant, kind, decidedBy, path } = this.task
    const alike = this.deps
      .judge(result.history, [invariant], scenario.own)
      .flatMap(({ verdict }) => (verdict.verdict === 'violated' ? verdict.violations : []))
      .filter((violation) => violation.kind === kind)
    const isDecidedSo = (violation: Violation) => decidingStep(result, violation) === decidedBy
    const isOnPath = (violation: Violation) => pathOf(result, violation).join() === path.join()
    // The deciding step is compared last, because it costs the most.
    if (accepts.length === 0)
      return alike.find((one) => isOnPath(one) && isDecidedSo(one)) ?? alike.find(isDecidedSo) ?? null
    const risks = this.risksOf(request, result.history, namesOf(accepts))
    for (const one of [...alike.filter(isOnPath), ...alike])
      if (isDecidedSo(one) && (await risks.explaining(invariant, one)).length === 0) return one
    return null
  }

  /** Its runs do not use up the budget, because few runs have facts of a risk. */
  risksOf(request: WorldRequest, history: RunResult['history'], names: readonly RiskName[]): RisksOfRun {
    const { judge } = this.deps
    return new RisksOfRun(request, history, names, { judge, runWorld: (one) => this.before.play(one, this.deps) })
  }

  /**
   * The time of the violation, in virtual microseconds. Costs no budget, because most of these runs
   * are cached.
   */
  async breaksAtUs(found: Found): Promise<number> {
    const request = this.requestOf(found)
    const result = await this.before.play(request, this.deps)
    const violation = await this.violationOf(result, found.pair, request)
    return violation === null ? Number.POSITIVE_INFINITY : brokeUs(result, violation)
  }

  /** The task's layer with the scenario; null if the layer cannot be played in the scenario. */
  async pairIn(where: ScenarioRef): Promise<LoadedPair | null> {
    const scenario = await this.deps.loadScenario(where.scenarioPath)
    const why = whyUnusable(this.pair.implementation.implementation, scenario, this.task.sink)
    return why === null ? loadPair({ ...this.task, ...where }, this.deps) : null
  }
}

/** Resolves to null if the layer cannot be judged in the run. */
export function unlessUnusable<T>(played: Promise<T>): Promise<T | null> {
  return played.catch((error: unknown) => (error instanceof LoadError ? null : Promise.reject(error)))
}

/** The time of the violation, in virtual microseconds. */
export const brokeUs = ({ history }: Pick<RunResult, 'history'>, { events }: Violation): number =>
  Math.max(0, ...events.map((seq) => history.events[seq]!.atUs))
