/**
 * `pnpm live-replays`: the gravest finding of each article pattern, made on real servers. Of
 * findings that are equally grave, the one with the fewest faults and then the shortest run: it is
 * what a report shows first to a reader. Where that one cannot be made, or not in the time that a
 * try may take, the next one is. `--write` puts the table into docs/replay-live.md, with what there
 * is so far after each pattern.
 */
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { Command, InvalidArgumentError } from 'commander'
import { catalogue, packageFolder } from '../../src/cli/catalogue.ts'
import { createDeps } from '../../src/cli/create-deps.ts'
import { storeElsewhere } from '../../src/cli/stores-of.ts'
import { severity } from '../../src/contract/api/severity.ts'
import type { LiveReplay } from '../../src/contract/results/live-replay.ts'
import type { Finding, Results } from '../../src/contract/results/results.ts'
import { cannotBeMade, type Elsewhere, type Row, tableOf, withTable } from './table.ts'

interface Options {
  readonly tries: number
  readonly atOnce: number
  readonly runs: number
  readonly atMost: string
  readonly seed: number
  readonly only: string
  readonly keep: string
  readonly write: boolean
}

/** Each on one server, with what articles speak of. */
const scenarios = ['competing-consumers', 'crash-mid-logic', 'lost-reply', 'redis-restart', 'slow-lock-holder']

const options = new Command('live-replays')
  .description('the gravest finding of each article pattern, made on real servers')
  .option('--tries <n>', 'how often each is made', wholeNumber, 20)
  .option('--at-once <n>', 'how many of them at the same time', wholeNumber, 1)
  .option('--at-most <duration>', 'what a try may take: leases and expiries pass in real time', '1m')
  .option('--runs <n>', 'runs for each pattern and scenario, to find it', wholeNumber, 20)
  .option('--seed <n>', 'the seed of all of them', wholeNumber, 1)
  .option('--only <text>', 'patterns whose name contains it', '')
  .option(
    '--keep <folder>',
    'where findings are kept; those that are there are not looked for again',
    'reports/replay-live',
  )
  .option('--write', 'put the table into docs/replay-live.md', false)
  .allowExcessArguments(false)
  .parse(process.argv.filter((argument) => argument !== '--'))
  .opts<Options>()

const page = path.join(packageFolder, 'docs', 'replay-live.md')
const patterns = catalogue('implementation').filter(
  ({ id, path: file }) => path.basename(path.dirname(file)) === 'articles' && id.includes(options.only),
)
const rows: Row[] = []
const elsewhere: Elsewhere[] = []
const deps = createDeps(() => false)
for (const { id, path: file } of patterns) {
  const store = storeElsewhere('replay-live', (await deps.loadImplementation(file)).implementation)
  if (store !== undefined) {
    elsewhere.push({ id, store })
    continue
  }
  const row = rowOf(id)
  const { made } = row
  rows.push(row)
  const times = made.filter(({ answer }) => answer === 'confirmed').length
  const others = made.flatMap(({ answer, why }) => (answer === 'confirmed' ? [] : (why ?? [])))
  const answer = cannotBeMade(made) ?? [`confirmed in ${times} of ${made.length}`, ...others].join('; ')
  process.stderr.write(`${id}: ${answer}\n`)
  // After each: the whole takes a quarter of an hour or more, and what was played is kept where it is cut off.
  if (options.write) fs.writeFileSync(page, withTable(fs.readFileSync(page, 'utf8'), tableOf(rows, elsewhere)))
}
if (!options.write) process.stdout.write(tableOf(rows, elsewhere))

function findingsOf(id: string): Results {
  const kept = path.resolve(packageFolder, options.keep, `${id}.json`)
  if (fs.existsSync(kept)) return JSON.parse(fs.readFileSync(kept, 'utf8'))
  const where = scenarios.flatMap((scenario) => ['--scenario', scenario])
  const how = ['--runs', String(options.runs), '--seed', String(options.seed), '--reports', path.dirname(kept)]
  const text = onceproof(['run', '--impl', id, ...where, ...how, '--no-html'])
  fs.mkdirSync(path.dirname(kept), { recursive: true })
  fs.writeFileSync(kept, text)
  return JSON.parse(text)
}

/** Of the first finding that can be made; of the gravest, where none can. */
function rowOf(id: string): Row {
  let gravest: Row | null = null
  for (const finding of gravestFirst(findingsOf(id))) {
    const row = { id, finding, made: confirmed(finding) }
    if (cannotBeMade(row.made) === null) return row
    gravest ??= row
  }
  if (gravest === null) throw new Error(`${id} did not break`)
  return gravest
}

function gravestFirst({ findings }: Results): (Finding & { readonly token: string })[] {
  return findings
    .filter((one): one is Finding & { readonly token: string } => one.token !== null)
    .sort(
      (a, b) =>
        severity(a.cause.invariant) - severity(b.cause.invariant) ||
        a.faultCount - b.faultCount ||
        a.eventCount - b.eventCount,
    )
}

function confirmed({ token }: { readonly token: string }): LiveReplay[] {
  const how = ['--tries', String(options.tries), '--at-once', String(options.atOnce), '--at-most', options.atMost]
  return JSON.parse(onceproof(['replay-live', token, '--with', 'local', ...how])).confirmations
}

/** What it prints on standard output. */
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
