/**
 * `pnpm english [--top N]` prints the rate of markers in each area and the worst files.
 * `pnpm english <file>…` prints all faults of these files, and exits with 1 if there are any.
 * `pnpm english --write` lowers the figures of `test/architecture/english-debt.json`, and never
 * raises one.
 */
import fs from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { packageFolder } from '../test/architecture/pages.ts'
import {
  complaintsOf,
  type Fault,
  firstLedger,
  goals,
  type Ledger,
  ledgerFile,
  ledgerText,
  lowered,
  rateOf,
  readSources,
  reportOn,
  surveyOf,
} from '../test/architecture/plain-english.ts'

const { values, positionals } = parseArgs({
  options: { write: { type: 'boolean' }, top: { type: 'string', default: '20' } },
  allowPositionals: true,
})
const sources = readSources()
const survey = surveyOf(sources)
const markersIn = (faults: readonly Fault[]) => faults.filter(({ kind }) => kind === 'markers').length

if (values.write === true) writeLedger()
else if (positionals.length > 0) {
  const files = positionals.map((file) => path.relative(packageFolder, path.resolve(file)))
  const { lines, exitCode } = reportOn(files, sources)
  for (const line of lines) console.log(line)
  process.exitCode = exitCode
} else printRates()

function printRates(): void {
  for (const [name, area] of Object.entries(survey.areas)) {
    const goal = name in goals ? ` (goal: ${goals[name as keyof typeof goals]})` : ''
    console.log(`${name}: ${rateOf(area).toFixed(2)} per 1,000 words${goal}, ${area.hits} in ${area.words} words`)
  }
  const worst = [...survey.files].sort(([, a], [, b]) => markersIn(b) - markersIn(a)).slice(0, Number(values.top))
  for (const [file, faults] of worst) console.log(`${markersIn(faults)} ${file}`)
}

function writeLedger(): void {
  const ledger = fs.existsSync(ledgerFile)
    ? lowered(JSON.parse(fs.readFileSync(ledgerFile, 'utf8')) as Ledger, survey)
    : firstLedger(survey)
  fs.writeFileSync(ledgerFile, ledgerText(ledger))
  const complaints = complaintsOf(ledger, survey)
  for (const complaint of complaints) console.error(complaint)
  if (complaints.length > 0) process.exitCode = 1
}
