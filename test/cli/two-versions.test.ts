import path from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { decodeToken } from '../../src/campaign/token.ts'
import type { Results } from '../../src/contract/results.ts'
import { temporaryFolder, write } from './run-cli.ts'
import { refusal } from './run-here.ts'
import { inTurn } from './run-in-turn.ts'
import { breaks, breaksId, holds, holdsId, twoVersionsProject } from './two-versions-project.ts'

const quick = ['--scenario', 'competing-consumers', '--runs', '20', '--workers', '1']

describe('--with-next', () => {
  const cwd = twoVersionsProject()
  let results: Results
  let token: string

  beforeAll(async () => {
    const { stdout, code } = await inTurn([...breaks, ...quick, '--json'], { cwd })
    expect(code).toBe(1)
    results = JSON.parse(stdout)
    token = results.findings[0]!.token!
  })

  it('finds a next version that reads a record of the one before wrongly, and names both', () => {
    const [pair] = results.pairs
    expect(pair).toMatchObject({ implementation: breaksId })
    const [finding] = results.findings
    expect(finding!.cause).toMatchObject({ invariant: 'at-most-once', kind: 'duplicate' })
    expect(finding!.replay).toMatch(/ --impl marker-before-plain-sink --with-next \.\/next\.ts$/)
    const decoded = decodeToken(token)
    expect(decoded).toMatchObject({ run: { implementation: 'marker-before-plain-sink with-next ./next.ts' } })
  })

  it('holds where the next version reads what the one before wrote', async () => {
    const { stdout, code } = await inTurn([...holds, ...quick, '--json'], { cwd })
    expect(JSON.parse(stdout).pairs[0]).toMatchObject({ implementation: holdsId, verdict: 'pass' })
    expect(code).toBe(0)
  })

  it('either version of the pair that breaks holds by itself', async () => {
    const alone = ['--impl', 'marker-before-plain-sink', '--impl', './next.ts']
    const { stdout, code } = await inTurn([...alone, ...quick, '--json'], { cwd })
    expect(JSON.parse(stdout).pairs.map(({ verdict }: { verdict: string }) => verdict)).toEqual(['pass', 'pass'])
    expect(code).toBe(0)
  })

  it('replays by token, where the file that the token names is named, and by address', async () => {
    const { stdout, code } = await inTurn(['replay', token, '--with-next', './next.ts'], { cwd })
    expect(code).toBe(1)
    expect(stdout).toContain(breaksId)
    expect(stdout).toMatch(/followed: all \d+ steps/)
    const { seed, run } = results.findings[0]!
    const address = ['--seed', String(seed), '--run', String(run), '--scenario', 'competing-consumers']
    const drawn = await inTurn(['replay', ...address, ...breaks], { cwd })
    expect(drawn.stdout).toContain(breaksId)
  })

  it.each([
    ['the token alone', [], 'which is loaded only if you name it: --with-next \\./next\\.ts$'],
    ['another file', ['--with-next', './again.ts'], '^onceproof: --with-next \\./again\\.ts: the run is of'],
    [
      'another one before',
      ['--impl', 'reference', '--with-next', './next.ts'],
      '^onceproof: --impl reference: the run',
    ],
  ])('loads no file for %s', async (_, more, text) => {
    const { code, stderr } = await refusal(['replay', token, ...more], cwd)
    expect(stderr.trim()).toMatch(new RegExp(text))
    expect(code).toBe(2)
  })

  it.each([
    [['--impl', 'reference', '--with-next', 'nothing'], /^onceproof: implementation nothing: there is none; /],
    [['--impl', 'reference', '--with-next', './gone.ts'], /^onceproof: \.\/gone\.ts: there is no such file; /],
    [['--impl', 'reference', '--with-next', './nothing.js'], /nothing\.js: it has no default export/],
    [
      ['--impl', 'reference', '--with-next', 'reference*'],
      /^onceproof: --with-next reference\*: several match; name one$/,
    ],
    [['--impl', 'reference with-next reference'], /two versions are named apart: --impl a --with-next b$/],
    [
      ['--impl', 'reference', '--with-next', '001-get-set', '--sink', 'fenced'],
      /^onceproof: --sink fenced: 001-get-set says that it can use plain and keyed only$/,
    ],
  ])('run %j is refused in one line', async (args, text) => {
    const { code, stderr } = await refusal(['run', ...args], cwd)
    expect(stderr.trim()).toMatch(text)
    expect(stderr.trim()).not.toContain('\n')
    expect(code).toBe(2)
  })

  it('a path that reads as two versions is refused by name', async () => {
    const folder = path.join(temporaryFolder(), 'old with-next new')
    write(folder, 'layer.ts', 'export default {}')
    const { stderr } = await refusal(['run', '--impl', './layer.ts'], folder)
    expect(stderr).toContain('a path with " with-next " in it reads as two versions; rename it')
  })

  it('a token of one version has no next one', async () => {
    const { findings } = JSON.parse(
      (await inTurn(['--impl', '001-get-set', ...quick, '--json'], { cwd })).stdout,
    ) as Results
    const { stderr } = await refusal(['replay', findings[0]!.token!, '--with-next', 'reference'], cwd)
    expect(stderr).toContain('--with-next reference: the run is of one version, 001-get-set; leave the option out')
  })
})
