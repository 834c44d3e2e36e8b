/**
 * `pnpm minimum-runs [file]`: compares the runs that a detection benchmark demands of each scenario
 * with its `minimumRuns`. Fails if a scenario's `minimumRuns` is smaller. Without a file it reads
 * `present.json`, the result of `pnpm detection-benchmark --write
 * tools/detection-benchmark/present.json` with the current draws.
 */

import fs from 'node:fs'
import { fileURLToPath } from 'node:url'
import { catalogue } from '../../src/cli/catalogue.ts'
import { loadScenario } from '../../src/cli/load-scenario.ts'
import { exitCodes } from '../../src/contract/api/exit-codes.ts'
import { minimumRunsOf } from '../../src/contract/api/scenario.ts'
import type { DetectionBenchmark } from './compare.ts'
import { beyondMinimum, demandsOf, mostMinimumRuns } from './demands.ts'

const file = process.argv[2] ?? fileURLToPath(new URL('present.json', import.meta.url))
const benchmark: DetectionBenchmark = JSON.parse(fs.readFileSync(file, 'utf8'))
const demands = demandsOf(benchmark)
let tooLow = false
for (const { id, path } of catalogue('scenario')) {
  const minimumRuns = minimumRunsOf(await loadScenario(path))
  const demand = demands.get(id)
  const less = demand !== undefined && minimumRuns < demand.runs
  tooLow ||= less
  const asked = demand === undefined ? 'nothing of the benchmark' : `${demand.runs} by ${demand.row}`
  process.stdout.write(`${less ? 'too low: ' : ''}${id}: ${minimumRuns}; asked for: ${asked}\n`)
}
for (const { row, runs } of beyondMinimum(benchmark))
  process.stdout.write(`${row}: ${runs}, which is more than ${mostMinimumRuns}: left to \`canaries\`\n`)
process.exit(tooLow ? exitCodes.harness : exitCodes.ok)
