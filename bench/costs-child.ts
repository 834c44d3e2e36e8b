/**
 * A child that measures single operations. Every round measures each operation, and then the same
 * operation of a peer.
 */
import { answerParent } from './children.ts'
import type { Cost, Repeat } from './costs/cost.ts'
import { event } from './costs/event.ts'
import { redisCosts } from './costs/redis.ts'
import type { CostResult } from './results.ts'
import { median } from './spread.ts'

const costs: readonly Cost[] = [event, ...redisCosts]

/** Waits for a macrotask, because draining works only from a macrotask. */
const macrotask = () => new Promise<void>((resolve) => setImmediate(resolve))

interface Row {
  readonly cost: Cost
  readonly ours: Side
  readonly peer: Side | null
}

/** One side of a row: the operation, its repetitions per round, and its times in microseconds. */
interface Side {
  readonly times: number
  readonly repeat: Repeat
  readonly us: number[]
}

async function sideOf({ times, prepare }: Pick<Cost, 'times' | 'prepare'>, quick: boolean): Promise<Side> {
  return { times: quick ? Math.ceil(times / 8) : times, repeat: await prepare(), us: [] }
}

async function measure({ times, repeat, us }: Side): Promise<void> {
  await macrotask()
  const start = process.hrtime.bigint()
  await repeat(times)
  us.push(Number(process.hrtime.bigint() - start) / 1000 / times)
}

/**
 * The ratio is the median of the ratios of the rounds, because a slow minute of the machine slows
 * both sides of a round.
 */
function resultOf({ cost: { name, peer: about }, ours, peer }: Row): CostResult {
  const result = { name, us: median(ours.us) }
  if (about === undefined || peer === null) return result
  const ratio = median(peer.us.map((us, round) => us / ours.us[round]!))
  const { aim = null } = about
  return { ...result, peer: { name: about.name, us: median(peer.us), ratio, aim, met: aim === null || ratio >= aim } }
}

answerParent(
  async ({ rounds, quick }: { rounds: number; quick: boolean }): Promise<readonly CostResult[]> => {
    const rows: Row[] = []
    for (const cost of costs)
      rows.push({
        cost,
        ours: await sideOf(cost, quick),
        peer: cost.peer === undefined ? null : await sideOf(cost.peer, quick),
      })
    for (let round = 0; round <= rounds; round++)
      for (const { ours, peer } of rows)
        for (const side of peer === null ? [ours] : [ours, peer]) {
          await measure(side)
          // The first round is dropped, because it includes compilation.
          if (round === 0) side.us.pop()
        }
    return rows.map(resultOf)
  },
  async () => {},
)
