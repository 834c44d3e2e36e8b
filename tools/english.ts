/**
 * `pnpm english [--top N]` prints the rate of markers in each area and the worst files.
 * `pnpm english <file>…` prints all faults of these files. `pnpm english --write` lowers the
 * figures of `test/architecture/english-debt.json`; it never raises one.
 */
import fs from 'node:fs'
import { parseArgs } from 'node:util'
import {
  complaintsOf,
  type Fault,
  firstLedger,
  goals,
  inOneLine,
  type Ledger,
  ledgerFile,
  ledgerText,
  lowered,
  rateOf,
  readSources,
  surveyOf,
} from '../test/architecture/plain-english.ts'

const { values, positionals } = parseArgs({
  options: { write: { type: 'boolean' }, top: { type: 'string', default: '20' } },
  allowPositionals: true,
})
const survey = surveyOf(readSources())
const markersIn = (faults: readonly Fault[]) => faults.filter(({ kind }) => kind === 'markers').length

if (values.write === true) writeLedger()
else if (positionals.length > 0) {
  const faults = [...survey.files.values()].flat().filter(({ file }) => positionals.includes(file))
  for (const fault of faults) console.log(inOneLine(fault).trim())
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
