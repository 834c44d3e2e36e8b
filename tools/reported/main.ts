/**
 * `pnpm reported [names]`: plays bugs that users of other projects reported. Each bug is a layer
 * with the mistake and a layer without it, played with default options. `--write` writes the
 * results to docs/findings/reported-bugs.md, with the names of the bugs that were not played.
 * `--keep <folder>` stores results and reuses existing ones. A name is the beginning of a file of
 * test/reported/layers.
 */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { packageFolder } from '../../src/cli/catalogue.ts'
import { cases, type ReportedCase, type Side } from './cases.ts'
import { entryOf, type Played, playReported } from './play-reported.ts'
import { faultsOf, type PlayedCase, reportedPage } from './reported-page.ts'

const seed = 4242
const { values, positionals: names } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== '--'),
  options: { write: { type: 'boolean' }, keep: { type: 'string' } },
  allowPositionals: true,
})
const folder = values.keep ?? fs.mkdtempSync(path.join(os.tmpdir(), 'onceproof-reported-'))
fs.mkdirSync(folder, { recursive: true })

const wanted = cases.filter(({ file }) => names.length === 0 || names.some((name) => file.startsWith(name)))
const played = wanted.map((one): PlayedCase => {
  const bugPlayed = playedOf(one, 'bug')
  return { ...one, bugPlayed, ...(one.fix === undefined ? {} : { fixPlayed: playedOf(one, 'fix') }) }
})
const others = cases.filter((one) => !wanted.includes(one))
const page = reportedPage(played, seed, others)
if (values.write === true) fs.writeFileSync(path.join(packageFolder, 'docs', 'findings', 'reported-bugs.md'), page)
else process.stdout.write(page)
if (values.keep === undefined) fs.rmSync(folder, { recursive: true })

const faults = played.flatMap(faultsOf)
for (const fault of faults) process.stderr.write(`${fault}\n`)
process.exitCode = faults.length === 0 ? 0 : 1

function playedOf({ file }: ReportedCase, side: Side): Played {
  const known = path.join(folder, `${file}.${side}.json`)
  if (fs.existsSync(known)) return JSON.parse(fs.readFileSync(known, 'utf8'))
  const one = playReported(entryOf(file, side, folder), { seed, reports: path.join(folder, 'reports') })
  fs.writeFileSync(known, JSON.stringify(one))
  process.stderr.write(`${file} ${side}: exit ${one.exitCode} after ${one.seconds} s\n`)
  return one
}
