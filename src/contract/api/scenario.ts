import type * as fc from 'fast-check'
import type { Plan } from './plan.ts'
import type { SinkKind } from './sink.ts'
import type { Shape, StoreKind } from './store.ts'
import { type BuiltInName, type InvariantName, invariantNames, type OwnInvariant, ownName } from './verdict.ts'

/**
 * The versions of Redis that the simulation stands for; `docs/reference/redis-versions.md` says
 * what others answer differently.
 */
export const redisVersions = ['7.0'] as const
export type RedisVersion = (typeof redisVersions)[number]

/** Those that a layer can use that says nothing of them. */
export const usualShapes: readonly Shape[] = ['single', 'sentinel']

/** A story, the plans that tell it, and what must come of it. One file of `scenarios/` each. */
export interface Scenario {
  readonly id: string
  /** Two or three sentences for a person. */
  readonly story: string
  readonly shape: Shape
  /**
   * The stores that its faults can strike: it is played with layers that use one of them. Absent:
   * Redis.
   */
  readonly stores?: readonly StoreKind[]
  /** What must be so for a pass to mean anything. */
  readonly assumptions: readonly string[]
  /** What is judged. */
  readonly invariants: readonly InvariantName[]
  /** Those of them that are its own. Absent: none. */
  readonly own?: readonly OwnInvariant[]
  /** Names of goals (`src/campaign/goals/`), each of which some run must reach. */
  readonly goals: readonly string[]
  /** The recovery bound of a layer that declares none, in milliseconds. */
  readonly recoveryCapMs: number
  /**
   * The only kinds of faults that its plans may have. A pure scenario has this: what breaks in it
   * is due to them. It makes its plans with `purePlans`, in which nothing else can go wrong.
   */
  readonly onlyFaults?: readonly string[]
  /** The end of the reason why other stores skip it: another scenario plays the same there. */
  readonly elsewhere?: string
  /** Its messages have no key: it is played with layers that declare `withoutKey`. */
  readonly keyless?: true
  /** Its faults are wrong clocks of consumers. */
  readonly needsConsumerClocks?: true
  /**
   * It is about what such a sink is asked beside effects, and played with nothing else. Absent:
   * with every sink.
   */
  readonly onlySink?: SinkKind
  /** It is about requests to a sink, and there such a sink gets none. */
  readonly notOnSink?: SinkKind
  /**
   * A layer may hold on one kind of sink and break on another: by default it is played on each that
   * the layer declares. So is one with `onlySink` or `notOnSink`.
   */
  readonly dependsOnSink?: true
  /** Draws one plan. Structured, so that fast-check shrinks workload and faults. */
  readonly plans: fc.Arbitrary<Plan>
  /** What some of its runs draw instead, so that rare goals are reached. */
  readonly aimed?: AimedRuns
  /**
   * The minimum number of runs in a campaign, with new coverage or without: enough that every seed
   * catches what the scenario is known to catch. Default: by shape (`minimumRunsOf`).
   */
  readonly minimumRuns?: number
  /** The earlier name of `minimumRuns`. */
  readonly floorRuns?: number
  /**
   * What a run of the reference costs once warm, in milliseconds of one core, as `pnpm bench`
   * measures it. Cheaper scenarios are run first, and counterexamples are looked for in them.
   * Default: by shape.
   */
  readonly runMs?: number
  /** The Redis that it stands for, one of `redisVersions`. Default: the first of them. */
  readonly redisVersion?: RedisVersion
}

/** A scenario as its file says it. */
export interface ScenarioSource extends Omit<Scenario, 'invariants' | 'own'> {
  /**
   * Names of those that are built in, and invariants of its own (`defineInvariant`). Where only its
   * own are given, all that are built in are judged as well; that is the default, too. Leave one
   * out only where the scenario itself breaks it.
   */
  readonly invariants?: readonly (BuiltInName | OwnInvariant)[]
}

/**
 * Of each `every` runs (2 or more), one is drawn from `draws`, in turn: the run's number alone
 * decides which.
 */
export interface AimedRuns {
  readonly every: number
  readonly draws: readonly {
    /** What the draw is for. */
    readonly goals: readonly string[]
    readonly plans: fc.Arbitrary<Plan>
  }[]
}

/**
 * Names the type for editors and fills in the defaults. The loader checks the rest and names the
 * file.
 */
export function defineScenario(source: ScenarioSource): Scenario {
  const asked = source.invariants ?? []
  const named = asked.filter((one) => typeof one === 'string')
  const own = asked.filter((one) => typeof one !== 'string')
  const invariants = [...(named.length === 0 ? invariantNames : named), ...own.map(ownName)]
  return { ...source, invariants, ...(own.length === 0 ? {} : { own }) }
}

/** What a run costs where the scenario does not say: measured with scenarios of these shapes. */
const usualRunMs: Readonly<Record<Shape, number>> = { single: 5, sentinel: 20, cluster: 45, independent: 10 }

export function runMsOf({ shape, runMs }: Pick<Scenario, 'shape' | 'runMs'>): number {
  return runMs ?? usualRunMs[shape]
}

/** Runs of deployments cost several times those of one server. */
const usualMinimumRuns: Readonly<Record<Shape, number>> = { single: 60, sentinel: 40, cluster: 40, independent: 60 }

export function minimumRunsOf({
  shape,
  floorRuns,
  minimumRuns = floorRuns,
}: Pick<Scenario, 'shape' | 'minimumRuns' | 'floorRuns'>): number {
  return minimumRuns ?? usualMinimumRuns[shape]
}
