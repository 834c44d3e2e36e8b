/**
 * The measurements that options of `pnpm bench` select. They replace the comparison with the
 * simulator's peers.
 */
import { measureAgainst } from './against/against.ts'
import { type Player, startPlayer } from './checkout/player.ts'
import { measureClients } from './client-rates.ts'
import { compareCommands } from './commands/compare-commands.ts'
import { measureFirstAnswers } from './commands/first-answer.ts'
import { here } from './compiled.ts'
import { measureGrowth } from './memory-growth.ts'
import { measureGuards } from './once/overhead.ts'
import { measureRealRedis } from './real-redis/measure.ts'
import type { AskedResults } from './results.ts'
import { measureSizes } from './scaling/sizes.ts'
import { measureWorkers } from './scaling/workers.ts'
import { measureScenarioCosts } from './scenario-costs.ts'
import { measureStores } from './stores/store-rates.ts'

export interface Asked {
  readonly against?: string
  /** The number of rounds; `true` means one. */
  readonly commands?: number | true
  readonly shared: boolean
  readonly scaling?: boolean
  readonly memory?: boolean
  readonly scenarioCosts?: boolean
  readonly firstAnswer?: boolean
  readonly once?: boolean
  readonly redis?: boolean
  readonly clients?: boolean
  readonly stores?: boolean
  readonly only: string
  readonly rounds: number
  readonly quick: boolean
}

/** Performs the selected measurements. The result is empty if no option selects one. */
export async function measureAsked(options: Asked, print: (line: string) => void): Promise<Partial<AskedResults>> {
  const { against: other, commands, only, rounds, quick, shared } = options
  const plan = { only, rounds, quick, print }
  let asked: Partial<AskedResults> = {}
  if (other !== undefined && commands === undefined) {
    const against = await withPlayer(here, (mine) =>
      withPlayer(other, (theirs) => measureAgainst({ here: mine, other: theirs }, plan)),
    )
    asked = { ...asked, against }
  }
  if (other !== undefined && commands !== undefined) {
    const ofCommands = { here, other, ...plan, shared, rounds: commands === true ? 1 : commands }
    asked = { ...asked, commands: await compareCommands(ofCommands) }
  }
  if (options.scaling) {
    const sizes = await withPlayer(here, (player) => measureSizes(player, plan))
    asked = { ...asked, scaling: { ...sizes, workers: await measureWorkers({ folder: here, ...plan }) } }
  }
  if (options.memory) asked = { ...asked, growth: await measureGrowth(() => startPlayer(here, ['--expose-gc']), plan) }
  if (options.scenarioCosts)
    asked = { ...asked, scenarioCosts: await withPlayer(here, (player) => measureScenarioCosts(player, plan)) }
  if (options.firstAnswer) asked = { ...asked, firstAnswers: await measureFirstAnswers({ folder: here, ...plan }) }
  if (options.once) asked = { ...asked, guards: await measureGuards(plan) }
  if (options.redis) asked = { ...asked, realRedis: await measureRealRedis(plan) }
  if (options.clients) asked = { ...asked, clients: await measureClients(plan) }
  if (options.stores) asked = { ...asked, stores: await measureStores(plan) }
  return asked
}

async function withPlayer<T>(folder: string, use: (player: Player) => Promise<T>): Promise<T> {
  const player = await startPlayer(folder)
  try {
    return await use(player)
  } finally {
    await player.close()
  }
}
