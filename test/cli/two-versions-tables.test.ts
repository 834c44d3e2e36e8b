/** Two versions of a layer at once, in the tables: what a matrix and a frontier say of them. */
import fs from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { FrontierResults } from '../../src/contract/frontier.ts'
import type { Results } from '../../src/contract/results.ts'
import { type CliResult, write } from './run-cli.ts'
import { refusal } from './run-here.ts'
import { inTurn } from './run-in-turn.ts'
import { breaks, breaksId, holds, holdsId, twoVersionsProject } from './two-versions-project.ts'

const patientMs = 200_000
const cwd = twoVersionsProject()
const alone = ['--workers', '1', '--no-html'] as const
const named = / --impl marker-before-plain-sink --with-next \.\/next\.ts$/

describe('matrix --with-next', { timeout: patientMs }, () => {
  const quick = ['--scenario', 'competing-consumers', '--runs', '20', ...alone]

  it('says what two versions need that need nothing by themselves, and replays what broke them', async () => {
    const { stdout, code } = await inTurn(['matrix', ...breaks, ...quick], { cwd })
    expect(stdout).toContain(`${breaksId}: needs a sink that deduplicates by key`)
    const [replay] = /^replay: .*$/m.exec(stdout)!
    expect(replay).toMatch(named)
    expect(code).toBe(1)
    const again = await inTurn(['replay', replay.split(' ')[4]!, '--with-next', './next.ts'], { cwd })
    expect(again.stdout).toContain(breaksId)
    expect(again.code).toBe(1)
  })

  it('holds on each sink that both can use, where the next one reads what the one before wrote', async () => {
    const { stdout, code } = await inTurn(['matrix', ...holds, ...quick, '--json'], { cwd })
    const { pairs }: Results = JSON.parse(stdout)
    expect(pairs.map(({ implementation, sink, verdict }) => [implementation, sink, verdict])).toEqual(
      ['plain', 'keyed', 'fenced'].map((sink) => [holdsId, sink, 'pass']),
    )
    expect(code).toBe(0)
  })

  it('gives in shards the bytes of one machine', async () => {
    const both = [
      '--scenario',
      'only-redeliveries',
      '--scenario',
      'only-lost-replies',
      '--runs',
      '3',
      ...alone,
      '--json',
    ]
    const play = (more: readonly string[]) => inTurn(['matrix', ...breaks, ...both, ...more], { cwd })
    const shards = [1, 2].map((index) => play(['--shard', `${index}/2`, '--reports', `s${index}`]))
    const [whole] = await Promise.all([play([]), ...shards])
    const merged = await inTurn(['merge', 's1', 's2', ...alone, '--json'], { cwd })
    const timeless = ({ stdout }: CliResult) => ({ ...JSON.parse(stdout), timings: null })
    expect(timeless(merged)).toEqual(timeless(whole))
    expect(timeless(whole).pairs[0].implementation).toBe(breaksId)
  })

  const layer = (id: string, sink: string) => `export default { id: '${id}', sinks: ['${sink}'], create: () => ({}) }`

  it('with no sink in common has nothing to run, and says so', async () => {
    write(cwd, 'plain.ts', layer('on-plain', 'plain'))
    write(cwd, 'keyed.ts', layer('on-keyed', 'keyed'))
    const apart = ['--impl', './plain.ts', '--with-next', './keyed.ts', '--scenario', 'competing-consumers']
    const { stderr, code } = await refusal(['matrix', ...apart], cwd)
    const why = 'on-plain with-next on-keyed: n/a, for it says that it can use no sink that its other version can'
    expect(stderr).toBe(`onceproof: nothing to run: ${why}\n`)
    expect(code).toBe(2)
  })
})

it('a matrix of a layer in a file tells what it needs, as of one of the catalogue', async () => {
  const quick = ['--scenario', 'competing-consumers', '--runs', '3', ...alone]
  const { stdout } = await inTurn(['matrix', '--impl', './next.ts', ...quick], { cwd })
  expect(stdout).toMatch(/^marker-version-two: /m)
})

describe('frontier --with-next', () => {
  const cell = ['--on', 'one-server', '--loss', 'consumers-crash', '--runs', '20', '--workers', '1']
  let found: FrontierResults

  beforeAll(async () => {
    const args = ['frontier', ...breaks, ...cell, '--json', '--write-docs', 'frontier.md']
    const { stdout, code } = await inTurn(args, { cwd })
    expect(code).toBe(0)
    found = JSON.parse(stdout)
  })

  it('names both versions in the table, on the page and in the command of its document', () => {
    expect(found.layers.map(({ implementation }) => implementation)).toEqual([breaksId])
    expect(fs.readFileSync(path.join(cwd, 'reports/latest/index.html'), 'utf8')).toContain(`>${breaksId}</h2>`)
    expect(fs.readFileSync(path.join(cwd, 'frontier.md'), 'utf8')).toContain(
      'frontier --impl marker-before-plain-sink --with-next marker-version-two --write-docs',
    )
  })

  it('breaks where either version holds, and the cell replays', async () => {
    const [{ verdict, violation }] = found.layers[0]!.cells as [FrontierResults['layers'][number]['cells'][number]]
    expect(verdict).toBe('breaks')
    expect(violation!.replay).toMatch(named)
    const again = await inTurn(['replay', violation!.token!, '--with-next', './next.ts'], { cwd })
    expect(again.code).toBe(1)
    const each = ['--impl', 'marker-before-plain-sink', '--impl', './next.ts']
    const { stdout } = await inTurn(['frontier', ...each, ...cell, '--json', '--no-html'], { cwd })
    const { layers }: FrontierResults = JSON.parse(stdout)
    expect(layers.map(({ cells }) => cells[0]!.verdict)).toEqual(['holds', 'holds'])
  })

  it('holds where the next version reads what the one before wrote', async () => {
    const { stdout, code } = await inTurn(['frontier', ...holds, ...cell, '--json', '--no-html'], { cwd })
    const { layers }: FrontierResults = JSON.parse(stdout)
    expect(layers).toMatchObject([{ implementation: holdsId, cells: [{ verdict: 'holds' }] }])
    expect(code).toBe(0)
  })
})
