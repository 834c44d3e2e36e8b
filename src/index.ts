/**
 * The exports of the package: everything for writing adapters, scenarios and invariants, and
 * `simulate`, which plays them. Everything else is internal. See
 * `docs/how-it-works/decisions/0026-a-package.md`.
 */

/**
 * The copy of fast-check for scenarios: plans must be drawn from its arbitraries.
 * @example
 * ```ts
 * import { fc } from 'onceproof'
 *
 * const crashOrPause = fc.constantFrom('crash', 'pause')
 * console.log(fc.sample(crashOrPause, { numRuns: 3, seed: 1 }))
 * ```
 */
export { default as fc } from 'fast-check'
export { assertAppliesEffectsOnce, EffectsError, type EffectsOptions } from './api/effects-once.ts'
export { BrokenRunError, onceProperty, type PropertyOptions } from './api/once-property.ts'
export { type SimulateOptions, SimulationError, simulate } from './api/simulate.ts'
export { type Config, defineConfig, type RollingUpgrade } from './contract/api/config.ts'
export type { Fact, History, HistoryEvent } from './contract/api/history.ts'
export type { DeliveryRecord, EventOf, HistoryIndex, RequestRecord } from './contract/api/history-index.ts'
export type {
  CreateContext,
  DeadLetterReasons,
  DeployContext,
  Handler,
  Implementation,
  LockNews,
  LockReports,
  Mechanism,
  Permission,
  RareMechanism,
  RedisAddress,
} from './contract/api/implementation.ts'
export { defineImplementation } from './contract/api/implementation.ts'
export type { JsonValue } from './contract/api/json.ts'
export type { DeadLetterReason, Message, Outcome } from './contract/api/message.ts'
export type {
  Boundary,
  CommandAim,
  Plan,
  PlannedFault,
  PlannedMessage,
  PlannedWork,
  PostgresPlan,
  RedisPlan,
  ResultStyle,
  Trigger,
} from './contract/api/plan.ts'
export type { PlannedRun } from './contract/api/planned-run.ts'
export type { AcceptedRisk, RiskName } from './contract/api/risk.ts'
export type { AimedRuns, RedisVersion, Scenario, ScenarioSource } from './contract/api/scenario.ts'
export { defineScenario } from './contract/api/scenario.ts'
export type {
  EffectRequest,
  EffectResult,
  EffectStatement,
  LookupAnswer,
  RaiseAnswer,
  Receipt,
  Sink,
  SinkKind,
} from './contract/api/sink.ts'
export { isSinkRefusal } from './contract/api/sink.ts'
export type { PostgresAddress, Shape, StoreAddresses, StoreKind } from './contract/api/store.ts'
export { defineUpgrade, type Upgrade } from './contract/api/upgrade.ts'
export type {
  BuiltInName,
  Declaration,
  Findings,
  InvariantName,
  OwnInvariant,
  OwnName,
  Violation,
} from './contract/api/verdict.ts'
export { defineInvariant } from './contract/api/verdict.ts'
export type * from './contract/results/results.ts'
export type { Scope } from './run/faults/fault.ts'
export { atFirst, atNew, beyondTheLease, drawAtFirst } from './sim/plans/aim.ts'
export { drawAtCommit, onPostgres, postgresServer } from './sim/plans/postgres-plan.ts'
export { type PureWorkload, purePlans, several } from './sim/plans/pure-plans.ts'
export { clusterRedis, independentRedis, sentinelRedis } from './sim/plans/redis-plan.ts'
export { drawFault, plansOf, type Workload } from './sim/plans/workload.ts'
