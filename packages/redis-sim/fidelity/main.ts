/**
 * `pnpm --filter redis-sim fidelity`: compares the simulated Redis with real servers, reply by
 * reply.
 */
import { Command } from 'commander'
import { exitCodes, goneRemedy as remedy, ServerGone } from 'test-servers'
import type { Options } from './compare-everything.ts'
import { connectTo } from './redis-choice.ts'

const command = new Command('fidelity')
  .description('Compares the simulated Redis with a real redis-server, byte for byte.')
  .option('--seed <int>', 'seed of the random sequences and scripts', integer, 1)
  .option('--commands <n>', 'how many random commands', integer, 100_000)
  .option(
    '--scripts <n>',
    'how many generated Lua scripts, beside the hand-written ones; 0 leaves scripts out',
    integer,
    300,
  )
  .option('--no-replication', 'leaves the stream to replicas and the stories of several servers out')
  .option('--no-sentinels', 'leaves the stories of Sentinels out, which take half a minute')
  .option('--no-clusters', 'leaves the story of a Cluster out, which takes 20 s')
  .option('--redis <binary or host:port>', 'the real server: a program to start, or one that runs already')
  .option('--differences <page>', 'another version: goes on after differences, and writes all of them into this page')
  .option('--json', 'one JSON document on standard output')
  .exitOverride()
  .configureOutput({ writeErr: (text) => process.stderr.write(text) })

try {
  command.parse()
} catch (error) {
  const { exitCode } = error as { exitCode: number }
  process.exit(exitCode === 0 ? exitCodes.ok : exitCodes.usage)
}
const options = command.opts<Options & { redis?: string; differences?: string }>()

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
  if (options.differences !== undefined) {
    const { compareVersion } = await import('./versions/compare-version.ts')
    const { writePage } = await import('./versions/page.ts')
    const comparison = await compareVersion(chosen, options)
    writePage(options.differences, comparison)
    console.log(`${comparison.server}: ${comparison.differences.length} differences, in ${options.differences}`)
  } else {
    // The comparison is imported here, so that a usage error does not load the simulated Redis.
    const { compareEverything } = await import('./compare-everything.ts')
    process.exitCode = (await compareEverything(chosen, options)) === 0 ? exitCodes.ok : exitCodes.different
  }
} catch (error) {
  if (!(error instanceof ServerGone)) throw error
  if (options.json) console.log(JSON.stringify({ schemaVersion: 1, error: { culprit: error.message, remedy } }))
  else console.error(`${error.message}: ${remedy}`)
  process.exitCode = exitCodes.serverGone
} finally {
  await chosen.stop()
}

function integer(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value) || value < 0) {
    console.error(`${JSON.stringify(text)} is not a whole number; give only digits`)
    process.exit(exitCodes.usage)
  }
  return value
}
