/** A child that plays one layer on each client, every one of them in every round, in one process. */
import { fileURLToPath } from 'node:url'
import { cpuMsOf } from '../checkout/cpu-time.ts'
import { answerParent } from '../children.ts'
import { UnequalError } from '../contenders/contender.ts'
import { openWorld } from '../contenders/simulator.ts'
import { spreadOf } from '../spread.ts'
import { type ClientRate, type ClientsQuestion, yardstick } from './client-rates.ts'

/** The marker of `test/clients`: the same commands, whatever sends them. */
const layerOn = (client: string) => fileURLToPath(new URL(`../../test/clients/layers/${client}.ts`, import.meta.url))

answerParent(
  async ({ clients, rounds, quick }: ClientsQuestion): Promise<readonly ClientRate[]> => {
    const runs = quick ? 20 : 300
    const players = []
    for (const client of clients)
      players.push({ client, play: await openWorld(layerOn(client)), rates: [] as number[] })
    // The first round compiles.
    for (let round = 0; round <= rounds; round++)
      for (const { client, play, rates } of players) {
        const { cpuMs } = await cpuMsOf(async () => {
          for (let seed = 1; seed <= runs; seed++) {
            const { history, unsupported } = await play(seed)
            const isComplete = history.events.some((event) => event.type === 'ended' && event.complete)
            if (!isComplete || unsupported.length > 0) throw new UnequalError(`${client}: run ${seed} is not whole`)
          }
        })
        if (round > 0) rates.push((runs / cpuMs) * 1000)
      }
    const [first] = players.filter(({ client }) => client === yardstick)
    return players.map(({ client, rates }) => ({
      client,
      runsPerSecond: spreadOf(rates),
      share: spreadOf(rates.map((rate, round) => rate / first!.rates[round]!)),
    }))
  },
  async () => {},
)
