import fs from 'node:fs'
import { cellScenario } from '../campaign/frontier/cell-scenario.ts'
import { goals } from '../campaign/goals/index.ts'
import { defineScenario, type Scenario, type ScenarioSource, shapes } from '../contract/scenario.ts'
import { invariantNames } from '../contract/verdict.ts'
import { LoadError } from '../sim/runtime/load-implementation.ts'
import { importDefault } from './import-default.ts'

/** Imports a scenario's file, or makes that of a frontier's cell. @throws LoadError that names the file and what is missing */
export async function loadScenario(file: string): Promise<Scenario> {
  const made = cellScenario(file)
  if (made !== null) return made
  if (!fs.existsSync(file)) throw new LoadError(file, 'there is no such file; name a scenario by id or by its path')
  let exported: unknown
  try {
    exported = await importDefault(file)
  } catch (error) {
    if (error instanceof LoadError) throw error
    const [text] = (error instanceof Error ? error.message : String(error)).split('\n', 1)
    throw new LoadError(file, `it throws while it is loaded (${text}); make it load in plain Node first`)
  }
  const problem = problemOf(exported)
  if (problem !== null) throw new LoadError(file, `${problem}; export default defineScenario({ … })`)
  return defineScenario(exported as ScenarioSource)
}

function problemOf(exported: unknown): string | null {
  if (typeof exported !== 'object' || exported === null) return 'it has no default export'
  const scenario = exported as Partial<ScenarioSource>
  for (const name of ['id', 'story'] as const)
    if (typeof scenario[name] !== 'string') return `its default export has no \`${name}\` (a string)`
  for (const name of ['assumptions', 'goals'] as const)
    if (!Array.isArray(scenario[name])) return `its default export has no \`${name}\` (a list)`
  if (!(Number(scenario.recoveryCapMs) >= 0)) return 'its default export has no `recoveryCapMs` (milliseconds)'
  if (typeof scenario.plans?.generate !== 'function')
    return 'its default export has no `plans` (a fast-check arbitrary)'
  if (!(shapes as readonly unknown[]).includes(scenario.shape)) return `its \`shape\` is none of ${shapes.join(', ')}`
  const goal = scenario.goals?.find((name) => !goals.some((known) => known.name === name))
  if (goal !== undefined) return `it names a goal that there is not, ${goal}`
  if (scenario.invariants !== undefined && !Array.isArray(scenario.invariants)) return 'its `invariants` are no list'
  if (scenario.invariants?.length === 0) return 'its `invariants` are none, so that nothing would be judged'
  const aimless = aimProblem(scenario)
  if (aimless !== null) return aimless
  if (scenario.floorRuns !== undefined && !(Number.isInteger(scenario.floorRuns) && scenario.floorRuns >= 1))
    return 'its `floorRuns` is no whole number from 1'
  if (scenario.runMs !== undefined && !(Number(scenario.runMs) > 0)) return 'its `runMs` is no number of milliseconds'
  const invariant = scenario.invariants?.find((name) => !(invariantNames as readonly string[]).includes(name))
  return invariant === undefined ? null : `it names an invariant that there is not, ${invariant}`
}

function aimProblem({ aimed, goals: asked = [] }: Partial<ScenarioSource>): string | null {
  if (aimed === undefined) return null
  if (!(Number.isInteger(aimed.every) && aimed.every >= 2))
    return 'its `aimed.every` is no whole number from 2: at least half of the runs are drawn from `plans`'
  if (!Array.isArray(aimed.draws) || aimed.draws.length === 0) return 'its `aimed` has no `draws` (a list)'
  for (const { goals: forGoals, plans } of aimed.draws) {
    if (typeof plans?.generate !== 'function') return 'one of its `aimed.draws` has no `plans` (a fast-check arbitrary)'
    const other = forGoals.find((goal: string) => !asked.includes(goal))
    if (other !== undefined) return `its \`aimed\` draws for ${other}, which is none of its goals`
  }
  return null
}
