/** Imports scenarios from files. The error for a scenario that cannot be played is one line. */

import fs from 'node:fs'
import { goals } from '../campaign/goals/index.ts'
import { madeScenario } from '../campaign/made/made-scenario.ts'
import { drawRun } from '../campaign/play/draw-run.ts'
import { boundsProblem } from '../campaign/token/plan-bounds.ts'
import { planProblem } from '../campaign/token/plan-problem.ts'
import { currentScenario } from '../contract/api/former-names.ts'
import type { Plan, PlannedFault, RedisPlan } from '../contract/api/plan.ts'
import { defineScenario, redisVersions, type Scenario, type ScenarioSource } from '../contract/api/scenario.ts'
import { sinkKinds } from '../contract/api/sink.ts'
import { type Shape, type StoreKind, shapes, storeKinds, usualStores } from '../contract/api/store.ts'
import { declarations, invariantNames, type OwnInvariant, ownName } from '../contract/api/verdict.ts'
import { launcher } from '../contract/results/launcher.ts'
import { faults } from '../run/faults/index.ts'
import { machineName } from '../run/faults/machine.ts'
import { LoadError } from '../sim/adapters/load-implementation.ts'
import { importDefault } from './import-default.ts'
import { suggestion } from './nearest.ts'

/**
 * Imports a scenario's file. A scenario of `configurations` or `tune` has no file and is made from
 * its name. @throws LoadError with the file and the problem
 */
export async function loadScenario(file: string): Promise<Scenario> {
  const made = madeScenario(file)
  if (made !== null) return made
  if (!fs.existsSync(file)) throw new LoadError(file, 'no such file; name a scenario by its id or path')
  let exported: unknown
  try {
    exported = currentScenario(await importDefault(file))
  } catch (error) {
    if (error instanceof LoadError) throw error
    const [text] = (error instanceof Error ? error.message : String(error)).split('\n', 1)
    throw new LoadError(file, `throws when loaded (${text}); make it load in plain Node first`)
  }
  const problem = problemOf(exported)
  if (problem !== null) throw new LoadError(file, `${problem}; export default defineScenario({ … })`)
  return defineScenario(exported as ScenarioSource)
}

function problemOf(exported: unknown): string | null {
  if (typeof exported !== 'object' || exported === null) return 'no default export'
  const scenario = exported as Partial<ScenarioSource>
  for (const name of ['id', 'story'] as const)
    if (typeof scenario[name] !== 'string') return `its default export has no \`${name}\` (a string)`
  for (const name of ['assumptions', 'goals'] as const)
    if (!Array.isArray(scenario[name])) return `its default export has no \`${name}\` (a list)`
  if (!(Number(scenario.recoveryCapMs) >= 0)) return 'its default export has no `recoveryCapMs` (milliseconds)'
  if (typeof scenario.plans?.generate !== 'function')
    return 'its default export has no `plans` (a fast-check arbitrary)'
  if (!(shapes as readonly unknown[]).includes(scenario.shape))
    return `its \`shape\` must be one of ${shapes.join(', ')}`
  const { stores } = scenario
  if (stores !== undefined && !(Array.isArray(stores) && stores.every((one) => storeKinds.includes(one))))
    return `its \`stores\` must be a list of ${storeKinds.join(', ')}`
  if (scenario.onlySink !== undefined && !sinkKinds.includes(scenario.onlySink))
    return `its \`onlySink\` must be one of ${sinkKinds.join(', ')}`
  if (scenario.notOnSink !== undefined && !sinkKinds.includes(scenario.notOnSink))
    return `its \`notOnSink\` must be one of ${sinkKinds.join(', ')}`
  if (scenario.redisVersion !== undefined && !(redisVersions as readonly unknown[]).includes(scenario.redisVersion))
    return `Redis ${String(scenario.redisVersion)} is not simulated, only ${redisVersions.join(', ')}; remove \`redisVersion\` (docs/reference/redis-versions.md)`
  const goal = scenario.goals?.find((name) => !goals.some((known) => known.name === name))
  if (goal !== undefined) return `unknown goal ${goal}`
  if (scenario.invariants !== undefined && !Array.isArray(scenario.invariants)) return 'its `invariants` must be a list'
  if (scenario.invariants?.length === 0) return 'its `invariants` are empty; name at least one'
  if (scenario.onlyFaults !== undefined && !(Array.isArray(scenario.onlyFaults) && scenario.onlyFaults.length > 0))
    return 'its `onlyFaults` must be a list of kinds of faults'
  const aimless = aimProblem(scenario)
  if (aimless !== null) return aimless
  for (const name of ['minimumRuns', 'floorRuns'] as const) {
    const least = scenario[name]
    if (least !== undefined && !(Number.isInteger(least) && least >= 1))
      return `its \`${name}\` must be a whole number from 1`
  }
  if (scenario.runMs !== undefined && !(Number(scenario.runMs) > 0))
    return 'its `runMs` must be a number of milliseconds'
  return invariantProblem(exported as Partial<Scenario>)
}

/**
 * The problem with the scenario's own invariants; null if they are valid. Accepts a scenario as
 * its file defines it, or as `defineScenario` returns it.
 */
function invariantProblem({ invariants = [], own = [] }: Partial<Scenario>): string | null {
  const brought: readonly unknown[] = [...own, ...invariants.filter((one) => typeof one !== 'string')]
  const names: string[] = [...invariantNames]
  for (const one of brought) {
    const { id, about, needs, judge } = (one ?? {}) as Partial<OwnInvariant>
    if (typeof id !== 'string' || !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(id))
      return 'an invariant of `own` has no `id` (lower-case words with hyphens)'
    if (typeof about !== 'string') return `its invariant ${id} has no \`about\` (a string)`
    if (needs !== undefined && !declarations.includes(needs))
      return `its invariant ${id} needs ${String(needs)}; known: ${declarations.join(', ')}`
    if (typeof judge !== 'function') return `its invariant ${id} has no \`judge\` (a function)`
    if (names.includes(ownName({ id }))) return `two of its invariants have the id ${id}`
    names.push(ownName({ id }))
  }
  const unknown = invariants.find((one) => typeof one === 'string' && !names.includes(one))
  return unknown === undefined ? null : `unknown invariant ${unknown}`
}

function aimProblem({ aimed, goals: asked = [] }: Partial<ScenarioSource>): string | null {
  if (aimed === undefined) return null
  if (!(Number.isInteger(aimed.every) && aimed.every >= 2)) return 'its `aimed.every` must be a whole number from 2'
  if (!Array.isArray(aimed.draws) || aimed.draws.length === 0) return 'its `aimed` has no `draws` (a list)'
  for (const { goals: forGoals, plans } of aimed.draws) {
    if (typeof plans?.generate !== 'function') return 'one of its `aimed.draws` has no `plans` (a fast-check arbitrary)'
    const other = forGoals.find((goal: string) => !asked.includes(goal))
    if (other !== undefined) return `its \`aimed\` draws for ${other}, which its goals do not include`
  }
  return null
}

/** The number of plans that are checked. Drawing them takes a few milliseconds. */
const plansChecked = 50

/** Scenarios whose plans were checked. Most canaries share their scenarios. */
const checked = new WeakSet<Scenario>()

/**
 * Checks the first plans of a scenario, before any run.
 * @throws LoadError if the plans cannot be played, or contain a fault that can never strike
 */
export function checkPlans(file: string, scenario: Scenario): void {
  if (checked.has(scenario)) return
  const plans = Array.from({ length: plansChecked }, (_, run) => draw(file, scenario, run))
  for (const plan of plans) {
    const problem = planProblem(plan) ?? boundsProblem(plan)
    if (problem !== null) throw new LoadError(file, `${problem}; \`plansOf\` makes complete plans`)
    const wrong = plan.faults.find(({ kind }) => !faults.has(kind))?.kind
    if (wrong !== undefined) throw new LoadError(file, `it plans an unknown fault, ${wrong}; ${nearest(wrong)}`)
    const other = plan.faults.find(({ kind }) => !isAllowed(kind, scenario))?.kind
    if (other !== undefined)
      throw new LoadError(file, `it plans ${other}, which its \`onlyFaults\` lack; remove the fault, or add it there`)
    const foreign = plan.faults.find((fault) => foreignStore(fault, scenario) !== null)
    if (foreign !== undefined)
      throw new LoadError(
        file,
        `it plans ${foreign.kind}, a fault of ${foreignStore(foreign, scenario)}, which its \`stores\` lack; add it, remove the fault, or map the plans (\`onPostgres\`)`,
      )
    const shape = shapeOf(plan.redis)
    if (shape !== scenario.shape)
      throw new LoadError(
        file,
        `its \`shape\` is ${scenario.shape}, but a plan's \`redis\` is ${shape}; make them equal`,
      )
  }
  for (const { kind, needs, onlyAt, canStrike } of faults.values()) {
    const isThere = ({ when }: PlannedFault) => onlyAt === undefined || (when.at !== 'time' && onlyAt.includes(when.at))
    const able = plans.flatMap((plan) =>
      plan.faults
        .filter((fault) => fault.kind === kind)
        .map((fault) => isThere(fault) && (canStrike?.(plan, fault) ?? true)),
    )
    if (able.length > 0 && !able.includes(true))
      throw new LoadError(file, `it plans ${kind}, which needs ${needs}; add that, or remove the fault`)
  }
  checked.add(scenario)
}

function isAllowed(kind: string, { onlyFaults }: Scenario): boolean {
  return onlyFaults === undefined || onlyFaults.includes(kind)
}

/**
 * The store that the fault strikes by its kind, node or machine although it is not in the
 * scenario's `stores`; null if the fault needs no other store.
 */
function foreignStore({ kind, node, machine }: PlannedFault, { stores = usualStores }: Scenario): StoreKind | null {
  const struck = [faults.get(kind)!.store, node, typeof machine === 'number' ? machineName(machine) : undefined]
  return storeKinds.find((store) => struck.includes(store) && !stores.includes(store)) ?? null
}

function draw(file: string, scenario: Scenario, run: number): Plan {
  try {
    const plan = drawRun(scenario, 1, run).value.value
    JSON.stringify(plan) // A token must be able to contain it.
    return plan
  } catch (error) {
    const [text] = (error instanceof Error ? error.message : String(error)).split('\n', 1)
    throw new LoadError(file, `its \`plans\` cannot be drawn (${text}); make \`fc.sample\` of them work first`)
  }
}

function shapeOf(redis: RedisPlan | undefined): Shape {
  if (redis?.shards !== undefined) return 'cluster'
  if (redis?.independent !== undefined) return 'independent'
  return (redis?.sentinels ?? 0) > 0 ? 'sentinel' : 'single'
}

function nearest(kind: string): string {
  return suggestion(kind, [...faults.keys()], `\`${launcher()} list\` prints all`)
}
