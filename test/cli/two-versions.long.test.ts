/**
 * `--with-next` plays a rolling upgrade, once the whole way. select-versions.test.ts has the rest.
 */
import { beforeAll, describe, expect, it } from 'vitest'
import { decodeToken } from '../../src/campaign/token/token.ts'
import type { Results } from '../../src/contract/results/results.ts'
import { expectRefusal } from './refusal.ts'
import { onceproofHere } from './run-here.ts'
import { breaks, breaksId, holds, holdsId, twoVersionsProject } from './two-versions-project.ts'

describe('run --with-next', () => {
  const cwd = twoVersionsProject()
  let ran: { code: number | null; results: Results }
  let token: string

  beforeAll(async () => {
    const quick = ['--scenario', 'competing-consumers', '--runs', '20', '--bail', '--workers', '1', '--no-html']
    const { stdout, code } = await onceproofHere([...breaks, ...quick, '--json'], { cwd })
    ran = { code, results: JSON.parse(stdout) }
    token = ran.results.findings[0]!.token!
  })

  it('finds a next version that misreads a record of the previous one, and names both', () => {
    const { pairs, findings } = ran.results
    expect(ran.code).toBe(1)
    expect(pairs).toMatchObject([{ implementation: breaksId }])
    expect(findings[0]!.cause).toMatchObject({ invariant: 'at-most-once', kind: 'duplicate' })
    expect(findings[0]!.replay).toMatch(/ --impl marker-before-plain-sink --with-next \.\/next\.ts$/)
    const implementation = 'marker-before-plain-sink with-next ./next.ts'
    expect(decodeToken(token)).toMatchObject({ run: { implementation } })
  })

  it('passes a next version that reads records of the previous one', async () => {
    const quick = ['--scenario', 'competing-consumers', '--runs', '20', '--workers', '1', '--no-html']
    const { stdout, code } = await onceproofHere([...holds, ...quick, '--json'], { cwd })
    expect(JSON.parse(stdout).pairs).toMatchObject([{ implementation: holdsId, verdict: 'pass' }])
    expect(code).toBe(0)
  })

  it('replays by token with its named file, and by address, and either version holds alone', async () => {
    const { stdout, code } = await onceproofHere(['replay', token, '--with-next', './next.ts'], { cwd })
    expect(code).toBe(1)
    expect(stdout).toContain(breaksId)
    expect(stdout).toMatch(/followed: all \d+ steps/)
    const { seed, run } = ran.results.findings[0]!
    const address = ['--seed', String(seed), '--run', String(run), '--scenario', 'competing-consumers']
    const drawn = await onceproofHere(['replay', ...address, ...breaks], { cwd })
    expect(drawn.stdout).toContain(breaksId)
    for (const alone of ['marker-before-plain-sink', './next.ts'])
      expect((await onceproofHere(['replay', ...address, '--impl', alone], { cwd })).code).toBe(0)
  })

  it.each([
    ['only the token', [], /needs a file that you must name yourself: --with-next \.\/next\.ts$/],
    ['a layer of the catalogue', ['--with-next', 'reference'], /^--with-next reference: the run has/],
    ['another previous version', ['--impl', 'reference', '--with-next', './next.ts'], /^--impl reference: the run/],
  ])('loads no file for %s', (_, more, line) => expectRefusal(['replay', token, ...more], 2, line, cwd))

  it('reports that another file is not the layer of the token', async () => {
    const { stdout } = await onceproofHere(['replay', token, '--with-next', './again.ts'], { cwd })
    expect(stdout).toContain('the files of the layer changed since the token was made')
  })
})
