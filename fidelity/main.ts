/** `pnpm fidelity`: the simulated Redis compared with a real one, reply by reply. */
import { Command } from 'commander'
import { exitCodes } from '../src/contract/results.ts'
import { compareAll } from './campaign.ts'
import { connectTo } from './redis-choice.ts'
import { printReport, toJson } from './report.ts'

const program = new Command('fidelity')
  .description('Compares the simulated Redis with a real redis-server, byte for byte.')
  .option('--seed <int>', 'seed of the random sequences and scripts', integer, 1)
  .option('--commands <n>', 'how many random commands', integer, 100_000)
  .option(
    '--scripts <n>',
    'how many generated Lua scripts, beside the hand-written ones; 0 leaves scripts out',
    integer,
    300,
  )
  .option('--redis <binary or host:port>', 'the real server: a program to start, or one that runs already')
  .option('--json', 'one JSON document on standard output')
  .exitOverride()
  .configureOutput({ writeErr: (text) => process.stderr.write(text) })

try {
  program.parse()
} catch (error) {
  const { exitCode } = error as { exitCode: number }
  process.exit(exitCode === 0 ? exitCodes.ok : exitCodes.usage)
}
const options = program.opts<{ seed: number; commands: number; scripts: number; redis?: string; json?: boolean }>()

const chosen = await connectTo(options.redis)
if (chosen.kind === 'missing') {
  const { culprit, remedy } = chosen
  if (options.json) console.log(JSON.stringify({ schemaVersion: 1, error: { culprit, remedy } }))
  else console.error(`${culprit}: ${remedy}`)
  process.exit(exitCodes.usage)
}
if (chosen.kind === 'skipped') {
  if (options.json) console.log(JSON.stringify({ schemaVersion: 1, skipped: chosen.reason }))
  else console.log(`fidelity skipped: ${chosen.reason}`)
  process.exit(exitCodes.ok)
}
try {
  const result = await compareAll(chosen, options)
  if (options.json) console.log(JSON.stringify(toJson(result)))
  else printReport(result)
  process.exitCode = result.differences.length === 0 ? exitCodes.ok : exitCodes.violated
} finally {
  await chosen.stop()
}

function integer(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value) || value < 0) {
    console.error(`${JSON.stringify(text)} is no whole number: give digits only`)
    process.exit(exitCodes.usage)
  }
  return value
}
