/**
 * `pnpm floors [file]`: how many runs each scenario must play at least, after a panel (without a file, `present.json`: what
 * `pnpm panel --write tools/panel/present.json` found with the draws as they are), beside what its file says. Fails where that is less.
 */

import fs from 'node:fs'
import { fileURLToPath } from 'node:url'
import { catalogue } from '../../src/cli/catalogue.ts'
import { loadScenario } from '../../src/cli/load-scenario.ts'
import { exitCodes } from '../../src/contract/api/exit-codes.ts'
import { floorRunsOf } from '../../src/contract/api/scenario.ts'
import type { Panel } from './compare.ts'
import { beyondFloors, demandsOf, mostFloorRuns } from './demands.ts'

const file = process.argv[2] ?? fileURLToPath(new URL('present.json', import.meta.url))
const panel: Panel = JSON.parse(fs.readFileSync(file, 'utf8'))
const demands = demandsOf(panel)
let tooLow = false
for (const { id, path } of catalogue('scenario')) {
  const floorRuns = floorRunsOf(await loadScenario(path))
  const demand = demands.get(id)
  const less = demand !== undefined && floorRuns < demand.runs
  tooLow ||= less
  const asked = demand === undefined ? 'nothing of the panel' : `${demand.runs} by ${demand.row}`
  process.stdout.write(`${less ? 'too low: ' : ''}${id}: ${floorRuns}; asked for: ${asked}\n`)
}
for (const { row, runs } of beyondFloors(panel))
  process.stdout.write(`${row}: ${runs}, which is more than ${mostFloorRuns}: left to \`canaries\`\n`)
process.exit(tooLow ? exitCodes.harness : exitCodes.ok)
