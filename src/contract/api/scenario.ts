import type * as fc from 'fast-check'
import type { Plan } from './plan.ts'
import type { SinkKind } from './sink.ts'
import type { Shape, StoreKind } from './store.ts'
import { type BuiltInName, type InvariantName, invariantNames, type OwnInvariant, ownName } from './verdict.ts'

/**
 * The versions of Redis that the simulation models. `docs/reference/redis-versions.md` lists how
 * other versions differ.
 */
export const redisVersions = ['7.0'] as const
/**
 * A version of Redis that the simulation models.
 * @example
 * ```ts
 * import type { RedisVersion } from 'onceproof'
 *
 * const version: RedisVersion = '7.0'
 * ```
 */
export type RedisVersion = (typeof redisVersions)[number]

/** The shapes of Redis for a layer that declares none. */
export const usualShapes: readonly Shape[] = ['single', 'sentinel']

/**
 * A scenario: its story, the plans that produce the story, and the invariants that must hold. Each
 * file in `scenarios/` contains one.
 * @example
 * ```ts
 * import { defineScenario, plansOf, type Scenario } from 'onceproof'
 *
 * const scenario: Scenario = defineScenario({
 *   ...{
 *     id: 'calm',
 *     story: 'Nothing breaks.',
 *     shape: 'single',
 *     assumptions: [],
 *     goals: [],
 *     recoveryCapMs: 60_000,
 *   },
 *   plans: plansOf({ faults: [] }),
 * })
 * console.log(scenario.invariants)
 * ```
 */
export interface Scenario {
  readonly id: string
  /** The story in two or three sentences, for people. */
  readonly story: string
  readonly shape: Shape
  /**
   * The stores that the faults of the scenario can strike. It is played with layers that use one of
   * them. Absent: Redis.
   */
  readonly stores?: readonly StoreKind[]
  /** The conditions that a deployment must meet for a pass to apply to it. */
  readonly assumptions: readonly string[]
  /** The invariants that are judged. */
  readonly invariants: readonly InvariantName[]
  /** The judged invariants that the scenario defines itself. Absent: none. */
  readonly own?: readonly OwnInvariant[]
  /**
   * Names of goals (`src/campaign/goals/`). Each goal must be reached by some run of the campaign.
   */
  readonly goals: readonly string[]
  /** The recovery bound of a layer that declares none, in milliseconds. */
  readonly recoveryCapMs: number
  /**
   * The only kinds of faults that plans of the scenario may have. A scenario with this member is
   * pure: every violation in it is due to these faults. It draws its plans with `purePlans`, in
   * which nothing else can go wrong.
   */
  readonly onlyFaults?: readonly string[]
  /**
   * The end of the sentence that tells why layers on other stores skip the scenario. It names the
   * scenario that does the same with their store.
   */
  readonly elsewhere?: string
  /**
   * The messages of the scenario have no key, so it is only played with layers that declare
   * `withoutKey`.
   */
  readonly keyless?: true
  /** The faults of the scenario change the clocks of consumers. */
  readonly needsConsumerClocks?: true
  /**
   * The scenario is about a request that only this kind of sink offers, such as `cancel`, and is
   * played on no other sink. Absent: every sink.
   */
  readonly onlySink?: SinkKind
  /**
   * The scenario is about requests to a sink, and this kind of sink gets none, so the scenario is
   * not played on it.
   */
  readonly notOnSink?: SinkKind
  /**
   * A layer may hold on one kind of sink and break on another: by default the scenario is played on
   * each kind that the layer declares. This also applies to a scenario with `onlySink` or
   * `notOnSink`.
   */
  readonly dependsOnSink?: true
  /** Draws one plan. It is structured, so that fast-check can shrink workload and faults. */
  readonly plans: fc.Arbitrary<Plan>
  /** Plans that some runs draw instead of `plans`, so that rare goals are reached. */
  readonly aimed?: AimedRuns
  /**
   * The minimum number of runs in a campaign, whether or not they add coverage: enough for every
   * seed to catch what the scenario is known to catch. Default: by shape (`minimumRunsOf`).
   */
  readonly minimumRuns?: number
  /** The earlier name of `minimumRuns`. */
  readonly floorRuns?: number
  /**
   * The cost of a warm run of the reference, in milliseconds of one core, as `pnpm bench` measures
   * it. Cheaper scenarios run first, and the search for smaller counterexamples prefers them.
   * Default: by shape.
   */
  readonly runMs?: number
  /** The simulated Redis version, one of `redisVersions`. Default: the first of them. */
  readonly redisVersion?: RedisVersion
}

/**
 * A scenario as its file defines it.
 * @example
 * ```ts
 * import { plansOf, type ScenarioSource } from 'onceproof'
 *
 * const source: ScenarioSource = {
 *   ...{
 *     id: 'crashes',
 *     story: 'Consumers crash.',
 *     shape: 'single',
 *     assumptions: [],
 *     goals: [],
 *     recoveryCapMs: 60_000,
 *   },
 *   invariants: ['at-most-once', 'no-lost-message'],
 *   plans: plansOf({ faults: ['crash'] }),
 * }
 * ```
 */
export interface ScenarioSource extends Omit<Scenario, 'invariants' | 'own'> {
  /**
   * Names of built-in invariants, and invariants of this scenario (`defineInvariant`). If the list
   * contains no built-in invariant, or is absent, all built-in invariants are judged. Omit one only
   * if the scenario itself breaks it.
   */
  readonly invariants?: readonly (BuiltInName | OwnInvariant)[]
}

/**
 * One of every `every` runs (at least 2) takes its plan from the next entry of `draws`, cyclically.
 * This depends only on the number of the run.
 * @example
 * ```ts
 * import { type AimedRuns, drawFault, purePlans, several } from 'onceproof'
 *
 * const plans = purePlans({ faults: (scope) => several(drawFault('pause')(scope), 3) })
 * const aimed: AimedRuns = { every: 4, draws: [{ goals: [], plans }] }
 * ```
 */
export interface AimedRuns {
  readonly every: number
  readonly draws: readonly {
    /** The goals that plans of this draw are meant to reach. */
    readonly goals: readonly string[]
    readonly plans: fc.Arbitrary<Plan>
  }[]
}

/**
 * Fills in the default invariants, and gives editors the type. The loader checks the rest, and its
 * errors contain the name of the file.
 * @example
 * ```ts
 * import { defineScenario, plansOf } from 'onceproof'
 * export default defineScenario({
 *   id: 'slow-sink',
 *   story: 'The sink takes longer than a lease, and a consumer pauses.',
 *   shape: 'single',
 *   assumptions: [],
 *   goals: [],
 *   recoveryCapMs: 60_000,
 *   plans: plansOf({ faults: ['pause'] }),
 * })
 * ```
 */
export function defineScenario(source: ScenarioSource): Scenario {
  const asked = source.invariants ?? []
  const named = asked.filter((one) => typeof one === 'string')
  const own = asked.filter((one) => typeof one !== 'string')
  const invariants = [...(named.length === 0 ? invariantNames : named), ...own.map(ownName)]
  return { ...source, invariants, ...(own.length === 0 ? {} : { own }) }
}

/**
 * The cost of a run in milliseconds if the scenario does not declare it, as measured with scenarios
 * of these shapes.
 */
const usualRunMs: Readonly<Record<Shape, number>> = { single: 5, sentinel: 20, cluster: 45, independent: 10 }

export function runMsOf({ shape, runMs }: Pick<Scenario, 'shape' | 'runMs'>): number {
  return runMs ?? usualRunMs[shape]
}

/**
 * Scenarios with Sentinels or a Cluster get fewer runs, because each costs several times as much.
 */
const usualMinimumRuns: Readonly<Record<Shape, number>> = { single: 60, sentinel: 40, cluster: 40, independent: 60 }

export function minimumRunsOf({
  shape,
  floorRuns,
  minimumRuns = floorRuns,
}: Pick<Scenario, 'shape' | 'minimumRuns' | 'floorRuns'>): number {
  return minimumRuns ?? usualMinimumRuns[shape]
}
