/** `pnpm bench`: the simulator beside what a user would use instead, or what its options ask for. */
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { Command, InvalidArgumentError } from 'commander'
import { type ExitCode, exitCodes } from '../src/contract/results.ts'
import { measureAgainst } from './against/against.ts'
import { startPlayer } from './checkout/player.ts'
import { ChildError } from './children.ts'
import { compareCommands } from './commands/compare-commands.ts'
import { measureFirstAnswers } from './commands/first-answer.ts'
import { measureGrowth } from './memory-growth.ts'
import { measurePeers } from './peers.ts'
import type { AskedResults, BenchResults, PeerResults } from './results.ts'
import { measureSizes } from './scaling/sizes.ts'
import { measureWorkers } from './scaling/workers.ts'
import { measureScenarioCosts } from './scenario-costs.ts'
import { tableOf } from './table.ts'

interface Options {
  readonly against?: string
  /** Rounds; true: one. */
  readonly commands?: number | true
  readonly scaling?: boolean
  readonly memory?: boolean
  readonly scenarioCosts?: boolean
  readonly firstAnswer?: boolean
  readonly only: string
  readonly rounds: number
  readonly json: boolean
  readonly quick: boolean
}

const here = fileURLToPath(new URL('..', import.meta.url))

const options = new Command('bench')
  .description('measures the simulator beside its peers, its single operations and its memory; or what is asked for:')
  .option('--against <checkout>', 'runs of this checkout beside those of another, which has its packages', checkout)
  .option('--commands [rounds]', 'with --against: whole commands instead, which take minutes', wholeNumber)
  .option('--scaling', 'more messages, more consumers, a second worker')
  .option('--memory', 'the heap over 20,000 runs with Sentinels and 5,000 on a Cluster: half an hour')
  .option('--scenario-costs', 'what a run costs in each scenario: the figures for `runMs`')
  .option('--first-answer', "how soon each of the articles' patterns is told to be broken")
  .option('--only <text>', 'scenarios, commands and patterns whose name contains it', '')
  .option('--rounds <n>', 'interleaved rounds to take medians of', wholeNumber, 5)
  .option('--quick', 'little of the work: shows that it runs rather than how fast', false)
  .option('--json', 'one JSON document on standard output', false)
  .allowExcessArguments(false)
  .exitOverride(({ exitCode, message }) => {
    if (exitCode !== 0 && process.argv.includes('--json')) printError(message, 'see `pnpm bench --help`')
    process.exit(exitCode === 0 ? exitCodes.ok : exitCodes.usage)
  })
  .parse(process.argv.filter((argument) => argument !== '--'))
  .opts<Options>()

if (options.commands !== undefined && options.against === undefined) {
  process.stderr.write('bench: --commands compares two checkouts: give the other with --against\n')
  if (options.json) printError('--commands', 'give the other checkout with --against')
  process.exit(exitCodes.usage)
}

process.once('SIGINT', () => process.exit(exitCodes.interrupted))

try {
  const results = await measure(options)
  process.stdout.write(`${options.json ? JSON.stringify(results) : tableOf(results)}\n`)
  process.exitCode = results.exitCode
} catch (error) {
  if (!(error instanceof ChildError)) throw error
  process.stderr.write(`bench: ${error.message}\n`)
  if (options.json)
    printError(error.message, 'a measurement that did not do its work is none; run it again, then look there')
  process.exitCode = exitCodes.harness
}

function printError(culprit: string, remedy: string): void {
  process.stdout.write(`${JSON.stringify({ schemaVersion: 1, error: { culprit, remedy } })}\n`)
}

async function measure(options: Options): Promise<BenchResults> {
  const { quick, rounds } = options
  const tell = (line: string) => void process.stderr.write(`${line}\n`)
  const asked = await measureAsked(options, tell)
  const results = Object.keys(asked).length > 0 ? asked : await measurePeers({ rounds, quick, tell })
  return { schemaVersion: 1, node: process.versions.node, quick, rounds, exitCode: exitCodeOf(results), ...results }
}

async function measureAsked(options: Options, tell: (line: string) => void): Promise<Partial<AskedResults>> {
  const { against: other, commands, only, rounds, quick } = options
  const plan = { only, rounds, quick, tell }
  let asked: Partial<AskedResults> = {}
  if (other !== undefined && commands === undefined) {
    const against = await withPlayer(here, (mine) =>
      withPlayer(other, (theirs) => measureAgainst({ here: mine, other: theirs }, plan)),
    )
    asked = { ...asked, against }
  }
  if (other !== undefined && commands !== undefined) {
    const ofCommands = { here, other, ...plan, rounds: commands === true ? 1 : commands }
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
  return asked
}

async function withPlayer<T>(folder: string, use: (player: ReturnType<typeof startPlayer>) => Promise<T>): Promise<T> {
  const player = startPlayer(folder)
  try {
    return await use(player)
  } finally {
    await player.close()
  }
}

/** A missed aim is told and is no failure: a shared machine misses it too. Memory that grows is a defect. */
function exitCodeOf({ memory }: Partial<PeerResults & AskedResults>): ExitCode {
  return memory?.flat === false ? exitCodes.harness : exitCodes.ok
}

function checkout(text: string): string {
  const folder = path.resolve(text)
  for (const part of ['src/sim/world.ts', 'node_modules'])
    if (!fs.existsSync(path.join(folder, part)))
      throw new InvalidArgumentError(`it has no ${part}; name a checkout of the project whose packages are installed.`)
  return folder
}

function wholeNumber(text: string): number {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 1 || value > 1000) throw new InvalidArgumentError('a whole number from 1 on.')
  return value
}
