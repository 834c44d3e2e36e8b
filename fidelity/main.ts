/** `pnpm fidelity`: the simulated Redis compared with a real one, reply by reply. */
import { Command } from 'commander'
import { exitCodes } from '../src/contract/results.ts'
import { compareAll } from './campaign.ts'
import { compareClusters } from './cluster/compare.ts'
import { printClusters } from './cluster/report.ts'
import { connectTo } from './redis-choice.ts'
import { compareReplication, differencesOf } from './replication/compare-replication.ts'
import { printReplication, replicationToJson } from './replication/report.ts'
import { printReport, toJson } from './report.ts'
import { compareSentinels } from './sentinel/compare.ts'
import { printSentinels } from './sentinel/report.ts'

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
  .option('--json', 'one JSON document on standard output')
  .exitOverride()
  .configureOutput({ writeErr: (text) => process.stderr.write(text) })

try {
  command.parse()
} catch (error) {
  const { exitCode } = error as { exitCode: number }
  process.exit(exitCode === 0 ? exitCodes.ok : exitCodes.usage)
}
const options = command.opts<{
  seed: number
  commands: number
  scripts: number
  redis?: string
  json?: boolean
  replication: boolean
  sentinels: boolean
  clusters: boolean
}>()

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
  // Servers of one's own are started and killed, which one that runs already is not for.
  const { program } = chosen
  const replication = options.replication && program !== undefined ? await compareReplication(program, options) : null
  const clusters = options.clusters && program !== undefined ? await compareClusters(program) : null
  const sentinels = options.sentinels && program !== undefined ? await compareSentinels(program) : null
  if (options.json)
    console.log(JSON.stringify({ ...toJson(result), replication: replicationToJson(replication), sentinels, clusters }))
  else {
    printReport(result)
    if (replication !== null) printReplication(replication)
    if (sentinels !== null) printSentinels(sentinels)
    if (clusters !== null) printClusters(clusters)
  }
  const replicated = replication === null ? 0 : differencesOf(replication)
  const differences =
    result.differences.length + replicated + (sentinels?.differences.length ?? 0) + (clusters?.differences.length ?? 0)
  process.exitCode = differences === 0 ? exitCodes.ok : exitCodes.violated
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
