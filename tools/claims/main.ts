/**
 * `pnpm claims`: plays the evidence for the claims of the articles. `--write` updates
 * docs/findings/claims.md. `--keep <folder>` stores results and reuses stored ones. It does not
 * check whether the sources have changed. If they have, use a new folder.
 */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { packageFolder } from '../../src/cli/catalogue.ts'
import { claims, type Played } from './claims.ts'
import { claimsPage, nameOf, type Reported } from './claims-page.ts'
import { items } from './items.ts'
import { playEvidence } from './play-evidence.ts'

const args = process.argv.slice(2).filter((argument) => argument !== '--')
const { values } = parseArgs({
  args,
  options: { write: { type: 'boolean' }, keep: { type: 'string' } },
})
const reports = values.keep ?? fs.mkdtempSync(path.join(os.tmpdir(), 'onceproof-claims-'))
const file = path.join(reports, 'evidence.json')
const kept: Record<string, Reported> = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : {}
fs.mkdirSync(reports, { recursive: true })

function report(evidence: Played): Reported {
  const name = `${nameOf(evidence)}${evidence.breaks ? '' : ' holds'}`
  const known = kept[name]
  if (known !== undefined) return known
  const reported = playEvidence(evidence, { seed: 1, reports })
  kept[name] = reported
  fs.writeFileSync(file, JSON.stringify(kept))
  process.stderr.write(`${nameOf(evidence)}: ${'runs' in reported ? 'holds' : reported.way}\n`)
  return reported
}

const page = claimsPage(claims, items, report)
if (values.write === true) fs.writeFileSync(path.join(packageFolder, 'docs', 'findings', 'claims.md'), page)
else process.stdout.write(page)
if (values.keep === undefined) fs.rmSync(reports, { recursive: true })
