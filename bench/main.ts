/**
 * `pnpm bench`: compares the simulator with the alternatives that users have, or performs the
 * measurements that options select.
 */

import fs from 'node:fs'
import path from 'node:path'
import { Command, InvalidArgumentError } from 'commander'
import { type ExitCode, exitCodes } from '../src/contract/api/exit-codes.ts'
import { type Asked, measureAsked } from './asked.ts'
import { ChildError } from './children.ts'
import { measurePeers } from './peers.ts'
import type { AskedResults, BenchResults, PeerResults } from './results.ts'
import { tableOf } from './table.ts'

interface Options extends Asked {
  readonly json: boolean
}

const options = new Command('bench')
  .description('measures the simulator beside its peers, its single operations and its memory, or one of:')
  .option('--against <checkout>', 'runs of this checkout beside those of another, which has its packages', checkout)
  .option('--commands [rounds]', 'with --against: whole commands instead, which take minutes', wholeNumber)
  .option('--shared', 'with --commands: only the scenarios, layers and canaries that both checkouts have', false)
  .option('--scaling', 'more messages, more consumers, a second worker')
  .option('--memory', 'the heap over 20,000 runs with Sentinels and 5,000 on a Cluster: half an hour')
  .option('--scenario-costs', 'costs of a run in each scenario, for `runMs`')
  .option('--first-answer', 'runs until each article pattern is found broken')
  .option('--once', 'costs of the reference around an effect on a real Redis, beside other layers')
  .option('--redis', 'a real Redis by itself: how long commands and scripts take, and how much memory records take')
  .option('--clients', 'one layer on each Node client')
  .option('--stores', 'the reference on each store, and statements of pg')
  .option('--only <text>', 'scenarios, commands and patterns whose name contains it', '')
  .option('--rounds <n>', 'interleaved rounds to take medians of', wholeNumber, 5)
  .option('--quick', 'a small workload, which shows that it runs, not how fast', false)
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

if (options.shared && options.commands === undefined) {
  process.stderr.write('bench: --shared needs --commands: add it\n')
  if (options.json) printError('--shared', 'add --commands')
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
  if (options.json) printError(error.message, 'the benchmark failed; rerun it, then check this child process')
  process.exitCode = exitCodes.harness
}

function printError(culprit: string, remedy: string): void {
  process.stdout.write(`${JSON.stringify({ schemaVersion: 1, error: { culprit, remedy } })}\n`)
}

async function measure(options: Options): Promise<BenchResults> {
  const { quick, rounds } = options
  const print = (line: string) => void process.stderr.write(`${line}\n`)
  const asked = await measureAsked(options, print)
  const results = Object.keys(asked).length > 0 ? asked : await measurePeers({ rounds, quick, print })
  return { schemaVersion: 1, node: process.versions.node, quick, rounds, exitCode: exitCodeOf(results), ...results }
}

/**
 * A missed aim is reported but is not a failure, because a busy machine can miss it, too. Growing
 * memory is a defect.
 */
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
