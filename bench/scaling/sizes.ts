/**
 * Measures how the cost of a run grows with ten times as many messages, and with more consumers.
 * Plays the reference on one server, without faults.
 */
import type { Player, SizeCosts } from '../checkout/player.ts'
import { median, type Spread, spreadOf } from '../spread.ts'

export interface MessagesRow {
  readonly what: string
  /** Medians of the CPU time of a run, in milliseconds. */
  readonly fewMs: number
  readonly manyMs: number
  readonly ratio: Spread
  readonly aim: number
  readonly met: boolean
}

export interface ConsumersRow {
  readonly consumers: number
  readonly runMs: number
  /** The cost relative to the cost with the fewest consumers. */
  readonly ratio: Spread
}

export interface SizesResult {
  readonly messages: readonly MessagesRow[]
  readonly consumers: readonly ConsumersRow[]
}

export interface SizesPlan {
  readonly rounds: number
  readonly quick: boolean
  readonly print: (line: string) => void
}

export const few = 50
export const many = 500
const consumerCounts = [2, 8, 32]
const aim = 11

/** The scenario that checks all invariants that a run on one server can violate. */
const scenario = 'everything'

export async function measureSizes(player: Player, { rounds, quick, print }: SizesPlan): Promise<SizesResult> {
  const size = (messages: number, consumers: number, times: number) =>
    player.ask({ do: 'size', scenario, messages, consumers, times: quick ? 1 : times })
  const none: SizeCosts[] = []
  const fewer: SizeCosts[] = []
  const more: SizeCosts[] = []
  const crowds = consumerCounts.map(() => [] as number[])
  // The first round is not counted, because it includes compilation.
  for (let round = 0; round <= rounds; round++) {
    print(round === 0 ? 'sizes: warming up' : `sizes, round ${round} of ${rounds}`)
    none.push(await size(0, 3, 20))
    fewer.push(await size(few, 3, 20))
    more.push(await size(many, 3, 5))
    for (const [at, consumers] of consumerCounts.entries()) crowds[at]!.push((await size(few, consumers, 20)).runMs)
  }
  for (const values of [none, fewer, more, ...crowds]) values.shift()
  return { messages: messageRows(none, fewer, more), consumers: consumerRows(crowds) }
}

/**
 * The cost of publishing is the cost of a run without consumers, minus the cost of a run without
 * messages. The difference is small, so ten times as many messages are published in both
 * measurements.
 */
export function messageRows(
  none: readonly SizeCosts[],
  fewer: readonly SizeCosts[],
  more: readonly SizeCosts[],
): MessagesRow[] {
  const published = (costs: readonly SizeCosts[]) =>
    costs.map(({ publishMs }) => publishMs - median(none.map((cost) => cost.publishMs)))
  return [
    messagesRow('run', pick(fewer, 'runMs'), pick(more, 'runMs')),
    messagesRow('judge', pick(fewer, 'judgeMs'), pick(more, 'judgeMs')),
    messagesRow(`publish ${10 * many} beside ${10 * few}`, published(fewer), published(more)),
  ]
}

const pick = (costs: readonly SizeCosts[], what: keyof SizeCosts) => costs.map((cost) => cost[what])

function messagesRow(what: MessagesRow['what'], fewer: readonly number[], more: readonly number[]): MessagesRow {
  // A single round of a short measurement may be mostly noise, so all rounds are compared with the
  // median.
  const fewMs = median(fewer)
  const ratio = spreadOf(more.map((ms) => ms / fewMs))
  return { what, fewMs, manyMs: median(more), ratio, aim, met: ratio.median <= aim }
}

function consumerRows(crowds: readonly (readonly number[])[]): ConsumersRow[] {
  return consumerCounts.map((consumers, at) => {
    const ratio = spreadOf(crowds[at]!.map((ms, round) => ms / crowds[0]![round]!))
    return { consumers, runMs: median(crowds[at]!), ratio }
  })
}
