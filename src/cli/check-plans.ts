/** What is wrong with a scenario whose file loads: seen in the first of its plans, before any run is made. */
import { drawRun } from '../campaign/draw-run.ts'
import { planProblem } from '../campaign/plan-problem.ts'
import type { Plan, RedisPlan } from '../contract/plan.ts'
import type { Scenario, Shape } from '../contract/scenario.ts'
import { faults } from '../run/faults/index.ts'
import { LoadError } from '../sim/runtime/load-implementation.ts'
import { suggestion } from './nearest.ts'

/** So many plans are drawn; it takes a few milliseconds. */
const drawn = 50

/** @throws LoadError where its plans cannot be played, or plan what their Redis has no target for */
export function checkPlans(file: string, scenario: Scenario): void {
  const plans = Array.from({ length: drawn }, (_, run) => draw(file, scenario, run))
  for (const plan of plans) {
    const problem = planProblem(plan) ?? redisProblem(plan.redis)
    if (problem !== null) throw new LoadError(file, `${problem}; see \`plansOf\`, which makes whole ones`)
    const wrong = plan.faults.find(({ kind }) => !faults.has(kind))?.kind
    if (wrong !== undefined)
      throw new LoadError(file, `it plans a fault that there is not, ${wrong}; ${nearest(wrong)}`)
    const shape = shapeOf(plan.redis)
    if (shape !== scenario.shape)
      throw new LoadError(
        file,
        `its \`shape\` is ${scenario.shape}, and a plan's \`redis\` makes it ${shape}; let both say the same`,
      )
  }
  for (const { kind, needs, canStrike } of faults.values()) {
    if (canStrike === undefined) continue
    const able = plans.flatMap((plan) =>
      plan.faults.filter((fault) => fault.kind === kind).map((fault) => canStrike(plan, fault)),
    )
    if (able.length > 0 && !able.includes(true))
      throw new LoadError(file, `it plans ${kind}, which needs ${needs}; give it that, or leave the fault out`)
  }
}

function draw(file: string, scenario: Scenario, run: number): Plan {
  try {
    const plan = drawRun(scenario, 1, run).value.value
    JSON.stringify(plan) // A token is to hold it.
    return plan
  } catch (error) {
    const [text] = (error instanceof Error ? error.message : String(error)).split('\n', 1)
    throw new LoadError(file, `its \`plans\` cannot be drawn (${text}); make \`fc.sample\` of them work first`)
  }
}

const redisNumbers = [
  'replicas',
  'sentinels',
  'downAfterMs',
  'failoverTimeoutMs',
  'minReplicasToWrite',
  'fullSyncMs',
  'loadingMs',
] as const satisfies readonly (keyof RedisPlan)[]

function redisProblem(redis: RedisPlan | undefined): string | null {
  if (redis === undefined) return null
  const wrong = redisNumbers.find((name) => !(redis?.[name] >= 0))
  if (wrong !== undefined) return `its plan's \`redis\` has no \`${wrong}\` (a number)`
  return typeof redis.keeps === 'string' ? null : "its plan's `redis` has no `keeps` (what its disk keeps)"
}

function shapeOf(redis: RedisPlan | undefined): Shape {
  if (redis?.shards !== undefined) return 'cluster'
  return (redis?.sentinels ?? 0) > 0 ? 'sentinel' : 'single'
}

function nearest(kind: string): string {
  return suggestion(kind, [...faults.keys()], '`pnpm sim list` names them all')
}
