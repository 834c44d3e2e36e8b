/** `pnpm bench`: the simulator beside what a user would use instead, single operations, memory. */
import { Command, InvalidArgumentError } from 'commander'
import { type ExitCode, exitCodes } from '../src/contract/results.ts'
import { ChildError, startChild } from './children.ts'
import { redisServerVersion } from './redis-server.ts'
import type { BenchResults, CostResult, MemoryResult } from './results.ts'
import { measureContenders } from './rounds.ts'
import { tableOf } from './table.ts'

interface Options {
  readonly rounds: number
  readonly json: boolean
  readonly quick: boolean
}

const options = new Command('bench')
  .description('measures the simulator beside its peers, its single operations and its memory')
  .option('--rounds <n>', 'interleaved rounds to take medians of', wholeNumber, 5)
  .option('--quick', 'an eighth of the work: shows that it runs rather than how fast', false)
  .option('--json', 'one JSON document on standard output', false)
  .allowExcessArguments(false)
  .exitOverride(({ exitCode, message }) => {
    if (exitCode !== 0 && process.argv.includes('--json')) printError(message, 'see `pnpm bench --help`')
    process.exit(exitCode === 0 ? exitCodes.ok : exitCodes.usage)
  })
  .parse(process.argv.filter((argument) => argument !== '--'))
  .opts<Options>()

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

async function measure({ rounds, quick }: Options): Promise<BenchResults> {
  const tell = (line: string) => void process.stderr.write(`${line}\n`)
  const hasRedis = redisServerVersion() !== null
  const without = hasRedis ? [] : (['real-redis'] as const)
  const compared = await measureContenders({ rounds, quick, without, tell })
  tell('single operations')
  const costs = await askOnce<CostResult[]>('./costs-child.ts', { rounds, quick })
  tell('memory')
  const readAt = [2000, 10_000, 20_000].map((runs) => (quick ? runs / 10 : runs))
  const memory = await askOnce<MemoryResult>('./memory-child.ts', { readAt }, ['--expose-gc'])
  return {
    schemaVersion: 1,
    node: process.versions.node,
    quick,
    rounds,
    exitCode: exitCodeOf(memory),
    ...compared,
    costs,
    memory,
    skipped: hasRedis ? [] : [{ name: 'real-redis', reason: 'there is no redis-server on the path' }],
  }
}

/** A missed aim is told and is no failure: a shared machine misses it too. Memory that grows is a defect. */
function exitCodeOf({ flat }: MemoryResult): ExitCode {
  return flat ? exitCodes.ok : exitCodes.harness
}

async function askOnce<Answer>(file: string, question: object, flags: readonly string[] = []): Promise<Answer> {
  const child = startChild<object, Answer>(file, [], flags)
  try {
    return await child.ask(question)
  } finally {
    await child.close()
  }
}

function wholeNumber(text: string): number {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 1 || value > 1000) throw new InvalidArgumentError('a whole number from 1 on.')
  return value
}
