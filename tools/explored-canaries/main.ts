/**
 * `pnpm explored-canaries [ids]`: explores each canary with the kinds of faults that can kill it,
 * until the first order that breaks it. `--write` writes docs/findings/explored-canaries.md.
 * `--keep <folder>` stores results and reuses existing ones.
 */
import fs from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { explorableKinds, failoverKinds } from '../../src/campaign/explore/explore-plan.ts'
import { packageFolder } from '../../src/cli/catalogue.ts'
import { createDeps } from '../../src/cli/create-deps.ts'
import { selectCanaries } from '../../src/cli/select.ts'
import { printedBy } from '../printed-by.ts'
import { beyondByScenario, type ExploredCanary, type Fate } from './explored-canary.ts'
import { exploredPage } from './explored-page.ts'

const { values, positionals: ids } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== '--'),
  options: { write: { type: 'boolean' }, keep: { type: 'string' } },
  allowPositionals: true,
})
if (values.keep !== undefined) fs.mkdirSync(values.keep, { recursive: true })
const canaries = await selectCanaries(
  ids.length === 0 ? undefined : ids,
  createDeps(() => false),
)
const page = exploredPage(canaries.map(exploredOf))
if (values.write === true) fs.writeFileSync(path.join(packageFolder, 'docs/findings/explored-canaries.md'), page)
else process.stdout.write(page)

function exploredOf({ implementationName: id, hunt, sink }: (typeof canaries)[number]): ExploredCanary {
  const file = values.keep === undefined ? null : path.join(values.keep, `${id}.json`)
  if (file !== null && fs.existsSync(file)) return JSON.parse(fs.readFileSync(file, 'utf8')) as ExploredCanary
  const explored = { id, ...fateOf({ id, hunt, sink }) }
  if (file !== null) fs.writeFileSync(file, JSON.stringify(explored))
  process.stderr.write(`${id}: ${JSON.stringify(explored)}\n`)
  return explored
}

function fateOf({ id, hunt, sink }: Pick<(typeof canaries)[number], 'hunt' | 'sink'> & { readonly id: string }): Fate {
  const { killedBy, needs = [], scenarios } = hunt
  const kinds = killedBy.filter((kind) => explorableKinds.includes(kind))
  const missing = [...(kinds.length === 0 ? killedBy : []), ...needs.filter((kind) => !explorableKinds.includes(kind))]
  if (missing.length > 0) return { fate: 'beyond', why: `needs ${missing.join(' or ')}` }
  const beyond = beyondByScenario[scenarios[0]!]
  if (beyond !== undefined) return { fate: 'beyond', why: beyond }
  const faults = killedBy.length === 0 ? 0 : 1 + needs.length
  const all = [...kinds, ...needs]
  const watched = all.some((kind) => failoverKinds.includes(kind))
  const bounds = [
    ...['--faults', String(faults), ...(faults === 0 ? [] : ['--kinds', all.join()])],
    ...(watched ? ['--sentinels'] : []),
  ]
  const printed = printedBy(['explore', '--impl', id, '--sink', sink, ...bounds, '--time', '30s', '--json'])
  const { levels, runs, broke, complete, timings } = printed.json as {
    readonly levels: readonly { readonly faults: number }[]
    readonly runs: number
    readonly broke: number
    readonly complete: boolean
    readonly timings: { readonly totalMs: number }
  }
  const seconds = Math.round(timings.totalMs / 100) / 10
  if (broke > 0) return { fate: 'killed', faults: levels.at(-1)!.faults, runs, seconds }
  return { fate: complete ? 'holds' : 'cut', faults, runs, seconds }
}
