/**
 * `pnpm hunts`: checks that each canary is killed within a number of runs of a scenario, on each of
 * several seeds. With `--guarantees`, it only updates the table of broken guarantees.
 */

import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { Command, InvalidArgumentError } from 'commander'
import type { CanaryResults } from '../../src/contract/api/canary.ts'
import { exitCodes } from '../../src/contract/api/exit-codes.ts'
import { between, canariesPage, guaranteesPage, mutants, packageFolder } from './catalogue.ts'
import { guaranteeLines, guaranteeTable } from './guarantee-lines.ts'
import { huntRows, huntTable, missed } from './hunts.ts'
import { withoutCanary } from './without-canary.ts'

interface Options {
  readonly from: number
  readonly to: number
  readonly runs: number
  readonly only?: readonly string[]
  readonly keep?: string
  readonly write: boolean
  readonly guarantees: boolean
}

const options = new Command('hunts')
  .description('runs until each canary is caught, on several seeds')
  .option('--from <seed>', 'the first seed', wholeNumber, 1)
  .option('--to <seed>', 'the last seed', wholeNumber, 10)
  .option('--runs <n>', 'most runs for each canary and scenario', wholeNumber, 250)
  .option('--only <id...>', 'these canaries')
  .option('--keep <folder>', 'the folder with the results of each seed; seeds in it are not hunted again')
  .option('--write', 'put the table into docs/findings/canaries.md', false)
  .option('--guarantees', 'put the table of guarantees into docs/findings/canaries.md, and hunt nothing', false)
  .allowExcessArguments(false)
  .parse(process.argv.filter((argument) => argument !== '--'))
  .opts<Options>()

if (options.guarantees) {
  const lines = guaranteeLines(fs.readFileSync(guaranteesPage, 'utf8'))
  renew('guarantees', guaranteeTable(lines, await mutants(), withoutCanary))
} else {
  const seeds = Array.from({ length: options.to - options.from + 1 }, (_, at) => options.from + at)
  const rows = huntRows(seeds.map((seed) => hunted(seed, options)))
  const table = huntTable(rows)
  process.stdout.write(`${table}\n`)
  if (options.write) renew('hunts', table)
  const lived = rows.filter(missed)
  for (const { id, runs } of lived)
    process.stderr.write(`${id}: not caught on seeds ${seeds.filter((_, at) => runs[at] === null).join(', ')}\n`)
  process.exitCode = lived.length > 0 ? exitCodes.harness : exitCodes.ok
}

function hunted(seed: number, { runs, only = [], keep }: Options): CanaryResults {
  const kept = keep === undefined ? null : path.join(keep, `seed-${seed}.json`)
  if (kept !== null && fs.existsSync(kept)) return JSON.parse(fs.readFileSync(kept, 'utf8'))
  const command = ['bin/onceproof.mjs', 'canaries', '--seed', String(seed), '--runs', String(runs), '--json']
  const which = only.flatMap((id) => ['--only', id])
  const { stdout } = spawnSync(process.execPath, [...command, ...which], {
    cwd: packageFolder,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const results: CanaryResults = JSON.parse(stdout)
  if (results.interrupted) throw new Error(`seed ${seed} was interrupted`)
  if (kept !== null) {
    fs.mkdirSync(path.dirname(kept), { recursive: true })
    fs.writeFileSync(kept, stdout)
  }
  return results
}

function renew(mark: string, table: string): void {
  const page = fs.readFileSync(canariesPage, 'utf8')
  fs.writeFileSync(canariesPage, between(page, mark).replaced(table))
}

function wholeNumber(text: string): number {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('a whole number from 1')
  return value
}
