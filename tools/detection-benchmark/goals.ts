/**
 * `pnpm goals`: the share of a scenario's runs that reaches each of its goals, with the reference,
 * over all runs of seeds 1 to n. A goal that is n/a for the reference is measured with the first
 * layer that can reach it. Fails if a goal is reached in fewer than one run in ten.
 */

import { Command, InvalidArgumentError } from 'commander'
import { loadPair } from '../../src/campaign/play/load-pair.ts'
import { requestOf } from '../../src/campaign/play/run-chunk.ts'
import type { PairTask } from '../../src/campaign/play/tasks.ts'
import { unusable } from '../../src/campaign/play/unusable.ts'
import { goalReasons } from '../../src/campaign/tally/goal-reasons.ts'
import { catalogue } from '../../src/cli/catalogue.ts'
import { createDeps } from '../../src/cli/create-deps.ts'
import { type Selected, select } from '../../src/cli/select.ts'
import { exitCodes } from '../../src/contract/api/exit-codes.ts'
import type { Scenario } from '../../src/contract/api/scenario.ts'
import type { SinkKind } from '../../src/contract/api/sink.ts'
import { type GoalShare, type ReachedRun, sharesOf } from './shares.ts'

interface Options {
  readonly seeds: number
  readonly runs: number
  readonly scenario?: readonly string[]
}

const leastShare = 0.1

const options = new Command('goals')
  .description('the share of runs in which each scenario reaches each of its goals: all runs, and those without aim')
  .option('--seeds <n>', 'seeds 1 to n', wholeNumber, 50)
  .option('--runs <n>', 'the first n runs of each seed', wholeNumber, 20)
  .option('--scenario <id...>', 'scenarios by id, path or glob; without it, all')
  .allowExcessArguments(false)
  .parse(process.argv.filter((argument) => argument !== '--'))
  .opts<Options>()

const bench = createDeps(() => false)
const scenarios = await select('scenario', options.scenario ?? catalogue('scenario').map(({ id }) => id), bench)
let others: Promise<Selected[]> | undefined
let rare = 0
for (const selected of scenarios) {
  const scenario = await bench.loadScenario(selected.path)
  for (const [layer, goals] of await layersFor(scenario)) {
    process.stdout.write(`${scenario.id}, ${layer?.name ?? 'no layer'}\n`)
    if (layer === null) process.stdout.write(goals.map((goal) => `  ${goal}: n/a\n`).join(''))
    else for (const share of sharesOf(goals, scenario, await play(selected, layer, goals))) report(share)
  }
}
process.stdout.write(`${rare} goals are reached in fewer than ${leastShare * 100} % of their runs\n`)
process.exit(rare === 0 ? exitCodes.ok : exitCodes.unknown)

function report({ goal, all, unaimed, aimed }: GoalShare): void {
  if (all < leastShare) rare++
  const draws = aimed.length === 0 ? '' : `; aimed ${aimed.map(percent).join(', ')}`
  process.stdout.write(
    `  ${all < leastShare ? 'rare: ' : ''}${goal}: ${percent(all)} (unaimed ${percent(unaimed)}${draws})\n`,
  )
}

/**
 * The layers to play and the goals of each: the reference with the goals that apply to it, and for
 * each other goal the first layer that can reach it.
 */
async function layersFor(scenario: Scenario): Promise<[Selected | null, string[]][]> {
  const [reference] = await select('implementation', ['reference'], bench)
  const asked = new Map<Selected | null, string[]>()
  for (const goal of scenario.goals) {
    const layer = (await canReach(goal, reference!, scenario)) ? reference! : await firstFor(goal, scenario)
    asked.set(layer, [...(asked.get(layer) ?? []), goal])
  }
  return [...asked]
}

async function firstFor(goal: string, scenario: Scenario): Promise<Selected | null> {
  const layers = await (others ??= select(
    'implementation',
    catalogue('implementation').map(({ id }) => id),
    bench,
  ))
  for (const layer of layers) if (await canReach(goal, layer, scenario)) return layer
  return null
}

async function canReach(goal: string, layer: Selected, scenario: Scenario): Promise<boolean> {
  const { implementation } = await bench.loadImplementation(layer.path)
  if (unusable(implementation, scenario) !== null) return false
  return goalReasons([goal], implementation, await sinkOf(layer), bench)[goal] === undefined
}

/**
 * Plays each run once, in this thread. Determinism is not checked here, because campaigns check it.
 */
async function play(scenario: Selected, layer: Selected, goals: readonly string[]): Promise<ReachedRun[]> {
  const task: Omit<PairTask, 'seed'> = {
    scenarioPath: scenario.path,
    scenarioName: scenario.name,
    implementationPath: layer.path,
    implementationName: layer.name,
    sink: await sinkOf(layer),
    fresh: false,
  }
  const pair = await loadPair(task, bench)
  const reached: ReachedRun[] = []
  for (let seed = 1; seed <= options.seeds; seed++)
    for (let run = 0; run < options.runs; run++) {
      const { history } = await bench.runWorld(requestOf({ ...task, seed }, pair, run))
      reached.push({ run, goals: new Set(goals.filter((goal) => bench.reached(goal, history))) })
    }
  return reached
}

async function sinkOf(layer: Selected): Promise<SinkKind> {
  return (await bench.loadImplementation(layer.path)).implementation.sinks?.[0] ?? 'plain'
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}

function wholeNumber(text: string): number {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 1 || value > 1000) throw new InvalidArgumentError('a whole number from 1 on.')
  return value
}
