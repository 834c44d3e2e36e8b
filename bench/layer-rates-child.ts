/** A child that plays several layers in one process. Every round plays all of them. */
import { cpuMsOf } from './checkout/cpu-time.ts'
import { answerParent } from './children.ts'
import { UnequalError } from './contenders/contender.ts'
import { openWorld } from './contenders/simulator.ts'
import type { LayerRate, LayerRatesQuestion } from './layer-rates.ts'
import { spreadOf } from './spread.ts'

answerParent(
  async ({ layers, rounds, quick }: LayerRatesQuestion): Promise<readonly LayerRate[]> => {
    const runs = quick ? 20 : 300
    const players = []
    for (const { name, file } of layers) players.push({ name, play: await openWorld(file), rates: [] as number[] })
    // The first round is not counted, because it includes compilation.
    for (let round = 0; round <= rounds; round++)
      for (const { name, play, rates } of players) {
        const { cpuMs } = await cpuMsOf(async () => {
          for (let seed = 1; seed <= runs; seed++) {
            const { history, unsupported } = await play(seed)
            const isComplete = history.events.some((event) => event.type === 'ended' && event.complete)
            if (!isComplete || unsupported.length > 0) throw new UnequalError(`${name}: run ${seed} is not whole`)
          }
        })
        if (round > 0) rates.push((runs / cpuMs) * 1000)
      }
    const [first] = players
    return players.map(({ name, rates }) => ({
      name,
      runsPerSecond: spreadOf(rates),
      share: spreadOf(rates.map((rate, round) => rate / first!.rates[round]!)),
    }))
  },
  async () => {},
)
