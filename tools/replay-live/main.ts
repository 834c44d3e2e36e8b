/**
 * `pnpm live-replays`: reproduces each root cause of each article pattern on real servers, with
 * `replay-live --all`. `--write` updates the table of docs/findings/real-servers.md.
 */
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { Command, InvalidArgumentError } from 'commander'
import { catalogue, packageFolder } from '../../src/cli/catalogue.ts'
import { createDeps } from '../../src/cli/create-deps.ts'
import { storeElsewhere } from '../../src/cli/stores-of.ts'
import type { Results } from '../../src/contract/results/results.ts'
import { type Elsewhere, type Made, type Row, tableOf, withTable } from './table.ts'

interface Options {
  readonly atOnce: number
  readonly runs: number
  readonly budget: string
  readonly seed: number
  readonly only: string
  readonly keep: string
  readonly write: boolean
}

const options = new Command('live-replays')
  .description('each root cause of each article pattern, made on real servers')
  .option('--at-once <n>', 'root causes of a pattern that are made at the same time', wholeNumber, 1)
  .option('--budget <duration>', 'the time for the root causes of a pattern', '14m')
  .option('--runs <n>', 'runs for each pattern and scenario, to find them', wholeNumber, 20)
  .option('--seed <n>', 'the seed of all of them', wholeNumber, 1)
  .option('--only <text>', 'patterns whose name contains it', '')
  .option('--keep <folder>', 'the folder with the results; results in it are not played again', 'reports/replay-live')
  .option('--write', 'put the table into docs/findings/real-servers.md', false)
  .allowExcessArguments(false)
  .parse(process.argv.filter((argument) => argument !== '--'))
  .opts<Options>()

const page = path.join(packageFolder, 'docs', 'findings', 'real-servers.md')
const patterns = catalogue('implementation').filter(
  ({ id, path: file }) => path.basename(path.dirname(file)) === 'articles' && id.includes(options.only),
)
const rows: Row[] = []
const elsewhere: Elsewhere[] = []
const deps = createDeps(() => false)
for (const { id, path: file } of patterns) {
  const store = storeElsewhere('replay-live', (await deps.loadImplementation(file)).implementation)
  if (store === undefined) rows.push(rowOf(id))
  else elsewhere.push({ id, store })
  // The table is written after each pattern, because all patterns take hours and the program may be
  // interrupted.
  if (options.write) fs.writeFileSync(page, withTable(fs.readFileSync(page, 'utf8'), tableOf(rows, elsewhere)))
}
if (!options.write) process.stdout.write(tableOf(rows, elsewhere))

function rowOf(id: string): Row {
  const reports = path.resolve(packageFolder, options.keep, `rep-${id}`)
  const how = ['--runs', String(options.runs), '--seed', String(options.seed), '--no-html']
  const { rootCauses } = kept<Results>(`${id}.json`, ['run', '--impl', id, ...how, '--reports', reports])
  const asked = ['--with', 'local', '--budget', options.budget, '--at-once', String(options.atOnce)]
  const made = kept<{ readonly rootCauses: readonly Made[] }>(`${id}.live.json`, [
    'replay-live',
    '--all',
    ...asked,
    '--reports',
    reports,
  ])
  process.stderr.write(`${id}\n`)
  return { id, rootCauses, made: made.rootCauses }
}

function kept<T>(name: string, command: readonly string[]): T {
  const file = path.resolve(packageFolder, options.keep, name)
  if (!fs.existsSync(file)) {
    fs.mkdirSync(path.dirname(file), { recursive: true })
    fs.writeFileSync(file, onceproof(command))
  }
  return JSON.parse(fs.readFileSync(file, 'utf8'))
}

/** Runs a command and returns its standard output. */
function onceproof(what: readonly string[]): string {
  const { stdout } = spawnSync(process.execPath, ['bin/onceproof.mjs', ...what, '--json'], {
    cwd: packageFolder,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const { error } = JSON.parse(stdout) as { readonly error?: { readonly culprit: string; readonly remedy: string } }
  if (error !== undefined) throw new Error(`${error.culprit}: ${error.remedy}`)
  return stdout
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError('give a whole number')
  return Number(text)
}
