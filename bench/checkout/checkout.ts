/**
 * A checkout of the project, this one or another, loaded by path from its sources. Of another
 * commit, it needs only one file for each part in `places`, the scenarios and the reference.
 */
import fs from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Judgement } from '../../src/check/index.ts'
import type { History } from '../../src/contract/api/history.ts'
import type { Plan } from '../../src/contract/api/plan.ts'
import type { Scenario } from '../../src/contract/api/scenario.ts'
import type { Shape } from '../../src/contract/api/store.ts'
import type { InvariantName } from '../../src/contract/api/verdict.ts'
import type { LoadedImplementation } from '../../src/sim/adapters/load-implementation.ts'
import type { RunResult, WorldRequest } from '../../src/sim/world.ts'
import type { CompiledFiles } from '../compiled.ts'

/** A drawn run. Another checkout can also play it. */
export interface DrawnPlan {
  readonly plan: Plan
  readonly choiceSeed: number
}

export interface ScenarioName {
  readonly id: string
  readonly shape: Shape
  /** The scenario's `runMs`; null if it states none. */
  readonly runMs: number | null
}

/**
 * Plays the reference in a checkout's scenarios, or another layer in scenarios whose servers the
 * reference cannot use.
 */
export interface Checkout {
  readonly scenarios: readonly ScenarioName[]
  draw(scenario: string, run: number): DrawnPlan
  play(scenario: string, drawn: DrawnPlan): Promise<RunResult>
  judge(scenario: string, history: History): readonly Judgement[]
}

/** The seed of all measurements. */
const seed = 1

/**
 * The parts in loading order. `world` is first, because it saves the functions of Node before the
 * simulator replaces them.
 */
const places = {
  world: ['src/sim/world.ts'],
  scenario: ['src/cli/load-scenario.ts'],
  implementation: ['src/sim/adapters/load-implementation.ts', 'src/sim/runtime/load-implementation.ts'],
  drawing: ['src/campaign/play/draw-run.ts', 'src/campaign/draw-run.ts'],
  checkers: ['src/check/index.ts'],
}
type Part = keyof typeof places

/**
 * The path of each part in the checkout `folder`. The first candidate is the path in this version.
 */
function loadedBy(folder: string): Record<Part, string> {
  const found = Object.entries(places).map(([part, files]) => {
    const place = files.find((file) => fs.existsSync(path.join(folder, file))) ?? files[0]!
    return [part, place] as const
  })
  return Object.fromEntries(found) as Record<Part, string>
}

/** The source files that `openCheckout` loads from the checkout `folder`. */
export function loadedSources(folder: string): readonly string[] {
  return [...Object.values(loadedBy(folder)), ...scenarioNames(folder)]
}

/** Loads a checkout. `files`: the compiled file for each source, if there is one. */
export async function openCheckout(folder: string, files: CompiledFiles): Promise<Checkout> {
  const load = (source: string) => import(pathToFileURL(files[source] ?? path.join(folder, source)).href)
  const loaded = loadedBy(folder)
  const { runWorld }: { runWorld(request: WorldRequest): Promise<RunResult> } = await load(loaded.world)
  const { loadScenario }: { loadScenario(file: string): Promise<Scenario> } = await load(loaded.scenario)
  const { loadImplementation }: { loadImplementation(file: string): Promise<LoadedImplementation> } = await load(
    loaded.implementation,
  )
  const { drawRun }: { drawRun(scenario: Scenario, seed: number, run: number): Drawn } = await load(loaded.drawing)
  const { judge }: { judge(history: History, names: readonly InvariantName[]): readonly Judgement[] } = await load(
    loaded.checkers,
  )
  const scenarios = new Map<string, Scenario>()
  for (const name of scenarioNames(folder)) {
    const scenario = await loadScenario(path.join(folder, name))
    scenarios.set(scenario.id, scenario)
  }
  const layer = (file: string) => loadImplementation(path.join(folder, 'implementations', file))
  const reference = await layer('reference/reference.ts')
  const onFive = 'correct/quorum-before-plain-sink.ts'
  const ofMajority = fs.existsSync(path.join(folder, 'implementations', onFive)) ? await layer(onFive) : reference
  return {
    scenarios: [...scenarios.values()].map(({ id, shape, runMs = null }) => ({ id, shape, runMs })),
    draw(scenario, run) {
      const { value, choiceSeed } = drawRun(scenarios.get(scenario)!, seed, run)
      return { plan: value.value, choiceSeed }
    },
    play(id, { plan, choiceSeed }) {
      const scenario = scenarios.get(id)!
      const implementation = scenario.shape === 'independent' ? ofMajority : reference
      return runWorld({ scenario, implementation, sink: 'plain', plan, choices: { seed: choiceSeed }, record: false })
    },
    judge: (id, history) => judge(history, scenarios.get(id)!.invariants),
  }
}

interface Drawn {
  readonly value: { readonly value: Plan }
  readonly choiceSeed: number
}

function scenarioNames(folder: string): string[] {
  const names = fs.readdirSync(path.join(folder, 'scenarios')).filter((name) => name.endsWith('.ts'))
  return names.sort().map((name) => `scenarios/${name}`)
}
