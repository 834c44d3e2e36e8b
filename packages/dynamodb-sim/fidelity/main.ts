/**
 * `pnpm --filter dynamodb-sim fidelity`: compares the simulated DynamoDB with an independent
 * emulator, answer by answer.
 */
import { Command, InvalidArgumentError } from 'commander'
import { exitCodes } from 'test-servers'
import { type Comparison, compareCases, compareRandomly } from './compare.ts'
import { EmulatorTarget } from './emulator-target.ts'

const callsPerSequence = 40

const { seed, calls } = new Command('fidelity')
  .description('Compares the simulated DynamoDB with dynalite: cases by hand, then random calls.')
  .option('--seed <int>', 'seed of the random calls', whole, 1)
  .option('--calls <n>', 'how many random calls at most', whole, 5_000)
  .parse()
  .opts<{ seed: number; calls: number }>()

const judge = await EmulatorTarget.start()
try {
  const byHand = await compareCases(judge)
  const sequences = Math.ceil(calls / callsPerSequence)
  const random = await compareRandomly(judge, { seed, sequences, callsPerSequence })
  report('cases', byHand)
  report(`random calls, seed ${seed}`, random)
  const differences = byHand.differences.length + random.differences.length
  process.exitCode = differences === 0 ? exitCodes.ok : exitCodes.different
} finally {
  await judge.close()
}

function report(what: string, { compared, differences, explained, unjudged, judgeDied }: Comparison): void {
  console.log(`${what}: ${compared} answers compared, ${differences.length} unexplained differences`)
  for (const [id, times] of explained)
    console.log(`  explained: ${id} (${times} times, packages/dynamodb-sim/fidelity/explained.ts)`)
  for (const [name, times] of unjudged) console.log(`  unjudged: ${name} (${times} times)`)
  for (const call of judgeDied) console.log(`  the judge died of ${call}`)
  for (const { sequence, call, judge, simulated } of differences)
    console.log(
      `\nsequence ${sequence}: ${JSON.stringify(call)}\n  judge:     ${JSON.stringify(judge)}\n  simulated: ${JSON.stringify(simulated)}`,
    )
}

function whole(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Give digits only.')
  return Number(text)
}
