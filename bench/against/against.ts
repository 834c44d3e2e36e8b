/**
 * Compares this checkout with another one on the same plans. The other checkout draws the plans,
 * because a later commit can play the plans of an earlier one, but not the reverse.
 */
import type { ScenarioName } from '../checkout/checkout.ts'
import type { Player, RunName } from '../checkout/player.ts'
import { median, type Spread, spreadOf } from '../spread.ts'

export interface AgainstPlan {
  readonly rounds: number
  readonly quick: boolean
  /** Measures only scenarios whose id contains this text. */
  readonly only: string
  readonly print: (line: string) => void
}

export interface AgainstRow {
  readonly name: string
  readonly runsPerRound: number
  readonly here: SideCosts
  readonly other: SideCosts
  /**
   * The CPU time of the other checkout divided by the CPU time of this one. Above 1, this checkout
   * is faster.
   */
  readonly ratio: Spread
  readonly aim: number | null
  readonly met: boolean
}

/** Medians over the rounds. */
export interface SideCosts {
  readonly cpuMsPerRun: number
  readonly runsPerSecond: number
}

export interface AgainstResult {
  readonly rows: readonly AgainstRow[]
  readonly skipped: readonly { readonly name: string; readonly reason: string }[]
}

export interface Players {
  readonly here: Player
  readonly other: Player
}

/** The name of the row for all scenarios on one server together. */
export const oneServer = 'all on one server'

const deploymentAim = 3
const aims: Readonly<Record<string, number>> = {
  [oneServer]: 2,
  'chained-failover': deploymentAim,
  'cluster-failover': deploymentAim,
  'split-brain': deploymentAim,
  'redis-failover': deploymentAim,
  'data-loss': deploymentAim,
}

/** In quick mode: a scenario on one server and one on a deployment. */
const quickScenarios = ['key-reuse', 'redis-failover']

interface Row {
  readonly name: string
  /** Consecutive runs play these scenarios in rotation. */
  readonly scenarios: readonly string[]
  /** The number of batches at the beginning that are not counted. */
  readonly warmUps: number
}

export async function measureAgainst(players: Players, plan: AgainstPlan): Promise<AgainstResult> {
  const [here, other] = await Promise.all([
    players.here.ask({ do: 'scenarios' }),
    players.other.ask({ do: 'scenarios' }),
  ])
  const wanted = (all: readonly ScenarioName[]) =>
    all.filter(({ id }) => id.includes(plan.only) && (!plan.quick || quickScenarios.includes(id)))
  const shared = wanted(other).filter(({ id }) => here.some((own) => own.id === id))
  const rows: AgainstRow[] = []
  for (const row of rowsOf(shared)) {
    plan.print(row.name)
    rows.push(await measureRow(row, players, plan))
  }
  const missing = (from: readonly ScenarioName[], to: readonly ScenarioName[], reason: string) =>
    wanted(from)
      .filter(({ id }) => !to.some((known) => known.id === id))
      .map(({ id }) => ({ name: id, reason }))
  const skipped = [
    ...missing(here, other, 'the other checkout has no such scenario'),
    ...missing(other, here, 'this checkout has no such scenario'),
  ]
  return { rows, skipped }
}

/** The first row gets more warm-up batches, because it also warms up code that all rows share. */
function rowsOf(scenarios: readonly ScenarioName[]): Row[] {
  const single = scenarios.filter(({ shape }) => shape === 'single').map(({ id }) => id)
  const all = single.length === 0 ? [] : [{ name: oneServer, scenarios: single, warmUps: 4 }]
  return [...all, ...scenarios.map(({ id }) => ({ name: id, scenarios: [id], warmUps: 1 }))]
}

async function measureRow(row: Row, { here, other }: Players, { rounds, quick }: AgainstPlan): Promise<AgainstRow> {
  const { name, scenarios } = row
  const batch = (from: number, size: number) =>
    other.ask({ do: 'draw', runs: Array.from({ length: size }, (_, at) => runOf(scenarios, from + at)) })
  const tries = quick ? 3 : Math.max(10, 2 * scenarios.length)
  const { cpuMs } = await other.ask({ do: 'play', runs: await batch(0, tries) })
  const size = batchSize(cpuMs / tries, quick)
  const costs = { here: [] as SideCosts[], other: [] as SideCosts[] }
  for (let round = -row.warmUps; round < rounds; round++) {
    const runs = await batch((round + row.warmUps) * size, size)
    const sides = [['here', here] as const, ['other', other] as const]
    // The two sides alternate in being measured first.
    for (const [side, player] of round % 2 === 0 ? sides : sides.reverse()) {
      const spent = await player.ask({ do: 'play', runs })
      const perRun = { cpuMsPerRun: spent.cpuMs / size, runsPerSecond: (size * 1000) / spent.wallMs }
      if (round >= 0) costs[side].push(perRun)
    }
  }
  const ratio = spreadOf(costs.here.map(({ cpuMsPerRun }, at) => costs.other[at]!.cpuMsPerRun / cpuMsPerRun))
  const aim = aims[name] ?? null
  return {
    name,
    runsPerRound: size,
    here: mediansOf(costs.here),
    other: mediansOf(costs.other),
    ratio,
    aim,
    met: aim === null || ratio.median >= aim,
  }
}

/** The `nth` run if the scenarios alternate. */
export function runOf(scenarios: readonly string[], nth: number): RunName {
  return { scenario: scenarios[nth % scenarios.length]!, run: Math.floor(nth / scenarios.length) }
}

/** The number of runs that the other checkout plays in about a second. */
export function batchSize(msPerRun: number, quick: boolean): number {
  return Math.min(quick ? 20 : 400, Math.max(quick ? 3 : 8, Math.ceil(1000 / msPerRun)))
}

function mediansOf(costs: readonly SideCosts[]): SideCosts {
  return {
    cpuMsPerRun: median(costs.map(({ cpuMsPerRun }) => cpuMsPerRun)),
    runsPerSecond: median(costs.map(({ runsPerSecond }) => runsPerSecond)),
  }
}
