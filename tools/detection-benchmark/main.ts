/**
 * `pnpm detection-benchmark`: counts the runs that it takes to catch each layer that is known to be
 * broken, on ten seeds. `frozen.json` contains the results of the frozen benchmark. It fails if a
 * row misses more seeds than in `frozen.json`. With `--write
 * tools/detection-benchmark/present.json`, it also renews what `pnpm minimum-runs` reads, and keeps
 * the rows that were not played. Ten seeds take about 150 CPU minutes.
 */

import fs from 'node:fs'
import os from 'node:os'
import { fileURLToPath } from 'node:url'
import { Command, InvalidArgumentError } from 'commander'
import { createDeps } from '../../src/cli/create-deps.ts'
import { createStatusTable } from '../../src/cli/status-table.ts'
import { workerPool } from '../../src/cli/worker-pool.ts'
import { exitCodes } from '../../src/contract/api/exit-codes.ts'
import { type BenchmarkRow, compareBenchmarks, type DetectionBenchmark, rowKey } from './compare.ts'
import { benchmarkHunts } from './hunts.ts'
import { playHunt } from './play.ts'

interface Options {
  readonly seeds: number
  readonly only?: string
  readonly scenario?: readonly string[]
  readonly write?: string
  readonly missing?: boolean
}

const frozenFile = fileURLToPath(new URL('frozen.json', import.meta.url))

const command = new Command('detection-benchmark')
  .description('runs to the first detection of every canary and article pattern, beside those of the frozen benchmark')
  .option('--seeds <n>', 'seeds 1 to n', wholeNumber, 10)
  .option('--only <text>', 'layers whose id contains it')
  .option('--scenario <id...>', 'rows of these scenarios')
  .option('--write <file>', 'also write the results into this benchmark; rows that were not played stay')
  .option('--missing', 'only rows that the file of --write lacks')
  .allowExcessArguments(false)
  .parse(process.argv.filter((argument) => argument !== '--'))
const options = command.opts<Options>()

const written = readBenchmark(options.write)
const benchmark: DetectionBenchmark = { seeds: options.seeds, rows: await play(options) }
if (options.write !== undefined) {
  const all = new Map([...written.rows, ...benchmark.rows].map((row) => [rowKey(row), row]))
  const rows = [...all.values()].map((row) => `    ${JSON.stringify(row)}`).join(',\n')
  fs.writeFileSync(options.write, `{\n  "seeds": ${benchmark.seeds},\n  "rows": [\n${rows}\n  ]\n}\n`)
}
const frozen: DetectionBenchmark = JSON.parse(fs.readFileSync(frozenFile, 'utf8'))
const { lines, worse } = compareBenchmarks(frozen, benchmark)
process.stdout.write(`${lines.join('\n')}\n`)
process.exit(worse ? exitCodes.harness : exitCodes.ok)

/** Ends the process if the file has another number of seeds: its rows cannot be kept then. */
function readBenchmark(file: string | undefined): DetectionBenchmark {
  if (file === undefined || !fs.existsSync(file)) return { seeds: options.seeds, rows: [] }
  const read: DetectionBenchmark = JSON.parse(fs.readFileSync(file, 'utf8'))
  if (read.seeds === options.seeds) return read
  return command.error(`${file} has ${read.seeds} seeds: play as many, or write another file`)
}

async function play({ seeds, only = '', scenario, missing = false }: Options): Promise<BenchmarkRow[]> {
  const stopFlag = new Int32Array(new SharedArrayBuffer(4))
  const bench = createDeps(() => false)
  const known = new Set(missing ? written.rows.map(rowKey) : [])
  const hunts = (await benchmarkHunts(bench)).filter(
    ({ layer, scenarios }) =>
      !known.has(rowKey({ layer, scenarios: scenarios.map(({ scenarioName }) => scenarioName) })) &&
      layer.includes(only) &&
      (scenario === undefined || scenarios.some(({ scenarioName }) => scenario.includes(scenarioName))),
  )
  const workers = os.availableParallelism()
  const executor = workerPool(workers, stopFlag, createStatusTable())
  const waiting = [...hunts.entries()]
  const rows: BenchmarkRow[] = []
  const one = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [at, hunt] = next
      const row = await playHunt(hunt, seeds, executor)
      rows[at] = row
      process.stderr.write(
        `${at + 1} of ${hunts.length}: ${rowKey(row)}: ${row.runs.map((n) => n ?? 'missed').join(' ')}\n`,
      )
    }
  }
  await Promise.all(Array.from({ length: workers }, one))
  await executor.close()
  return rows
}

function wholeNumber(text: string): number {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 1 || value > 1000) throw new InvalidArgumentError('a whole number from 1 on.')
  return value
}
