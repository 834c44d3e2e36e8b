/**
 * One run of a seed in the simulator, several times: the broker deals as it does live, and all else (latencies, how long
 * the sink takes) is left to chance, as it is on real machines. What comes of every try, comes of the plan.
 */
import type { History } from '../contract/history.ts'
import type { Plan } from '../contract/plan.ts'
import type { SinkKind } from '../contract/sink.ts'
import { hashText } from '../sim/kernel/digest.ts'
import type { CampaignDeps } from './campaign-deps.ts'
import { drawRun } from './draw-run.ts'
import type { LoadedPair } from './load-pair.ts'
import { violationsOf } from './told-violation.ts'

export interface TellingRequest {
  readonly seed: number
  readonly sink: SinkKind
  /** How many are wanted at most. */
  readonly wanted: number
  /** The plan as it would be made live. */
  readonly prepare: (plan: Plan) => Plan
  /** Whether all of the plan's faults can be made. */
  readonly isMakeable: (plan: Plan) => boolean
  /** No longer than this, in virtual milliseconds. */
  readonly longestMs: number
}

export interface Candidate {
  readonly run: number
  readonly takesMs: number
  readonly faults: number
  /** Faults that are aimed at a limit of the layer's own by a hair, which a real machine may miss. */
  readonly aimed: number
  readonly goals: ReadonlySet<string>
  /** How it broke, the gravest first. */
  readonly broke: readonly string[]
}

/** After the world has come to rest, the simulator goes on for so long. */
const afterglowMs = 2_000

/** A sink that is slower by what real machines add. Many, since the best of some in a few tries is the luckiest one. */
export const variants = Array.from({ length: 16 }, (_, at) => ({
  slowerMs: [0, 10, 20, 40][at % 4]!,
  salt: `try ${at}`,
}))

export type Variant = (typeof variants)[number]

/** Null where a fault of it cannot be made. */
export async function tryRun(
  pair: LoadedPair,
  { seed, sink, prepare, isMakeable }: TellingRequest,
  run: number,
  { slowerMs, salt }: Variant,
  deps: CampaignDeps,
): Promise<Candidate | null> {
  const { value, choiceSeed } = drawRun(pair.scenario, seed, run)
  const plan = prepare(value.value)
  if (!isMakeable(plan)) return null
  const slower = { ...plan, effectMs: plan.effectMs + slowerMs }
  const choices = { seed: hashText(salt, choiceSeed), own: { broker: choiceSeed } }
  const { history } = await deps.runWorld({ ...pair, sink, plan: slower, choices, record: false })
  const broke = violationsOf(deps.judge(history, pair.scenario.invariants))
  const goals = pair.scenario.goals.filter((goal) => deps.reached(goal, history))
  return {
    run,
    takesMs: lastedMs(history),
    faults: plan.faults.length,
    aimed: plan.faults.filter(({ near }) => near !== undefined).length,
    goals: new Set(goals),
    broke: broke.map(({ invariant, violation }) => `${invariant} ${violation.kind}`),
  }
}

function lastedMs({ events }: History): number {
  const last = events.at(-1)
  if (last?.type !== 'ended' || !last.complete) return Number.POSITIVE_INFINITY
  return last.atUs / 1000 - afterglowMs
}
