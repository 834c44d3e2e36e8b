import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { decodeToken } from '../../src/campaign/token/token.ts'
import type { TuneResults } from '../../src/contract/results/tune.ts'
import { expectLinksThatLead } from '../report/page/links.ts'
import { temporaryFolder } from './run-cli.ts'
import { onceproofHere } from './run-here.ts'

const worst = ['--work', '1200ms', '--pause', '0', '--skew', '0', '--redelivery', '4s']
const tuned = ['tune', ...worst, '--runs', '15', '--workers', '1']

/** The results of one command, and the lease in them. */
async function leaseOf(cwd: string, layer: string, ...more: string[]) {
  const { code, stdout } = await onceproofHere([...tuned, '--impl', layer, '--json', ...more], { cwd })
  expect(code).toBe(0)
  const results: TuneResults = JSON.parse(stdout)
  expect(results.control!.verdict).toBe('violated')
  expect(results.layers.map(({ implementation }) => implementation)).toEqual([layer])
  return { results, lease: results.layers[0]!.limits.find(({ limit }) => limit === 'lease')! }
}

describe('tune', () => {
  it('finds the lease that a lock needs, which must outlast the work', async () => {
    const cwd = temporaryFolder()
    const { results, lease } = await leaseOf(cwd, '000-lua-acquire-lease')
    // Its lock has whole seconds, rounded up to 2 s.
    expect(lease).toMatchObject({ holdsFromMs: 1500, refutedMs: 1000, worstCase: { workMs: 1200 } })

    const { violation } = lease.rungs.find(({ valueMs }) => valueMs === lease.refutedMs)!
    expect(decodeToken(violation!.token!)).toMatchObject({
      ok: true,
      run: { scenario: 'tune/lease/1000ms/work-1200ms+pause-0ms+skew-0ms', plan: { leaseMs: 1000 } },
    })
    const again = await onceproofHere(['replay', violation!.token!], { cwd })
    expect(again.code).toBe(1)
    expect(again.stdout).toContain('violated: at-most-once')

    const page = fs.readFileSync(path.join(cwd, 'reports/latest/index.html'), 'utf8')
    for (const part of ['000-lua-acquire-lease, lease: 1500 ms holds (0 of 15 runs broke), 1 s breaks', '<polyline'])
      expect(page).toContain(part)
    expectLinksThatLead(page)
    expect(JSON.parse(fs.readFileSync(path.join(cwd, 'reports/latest/tune.json'), 'utf8'))).toEqual(results)
  })

  it('gives separate answers for several layers in one command, in order', async () => {
    const layers = ['000-lua-acquire-lease', 'reference']
    const named = layers.flatMap((layer) => ['--impl', layer])
    // One run reaches no goal, so the verdicts are unknown: exit code 4.
    const { code, stdout } = await onceproofHere([
      'tune',
      ...worst,
      '--runs',
      '1',
      ...named,
      '--workers',
      '1',
      '--json',
      '--no-html',
    ])
    expect(code).toBe(4)
    const results: TuneResults = JSON.parse(stdout)
    expect(results.layers.map(({ implementation }) => implementation)).toEqual(layers)
    for (const { limits } of results.layers) expect(limits.map(({ limit }) => limit)).toContain('lease')
  })

  it('reports that no lease helps a layer, with a curve and the replay command of the violation', async () => {
    const { code, stdout } = await onceproofHere([...tuned, '--impl', '001-get-set', '--no-html'])
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /^lease: no lease holds: 6 s, the longest tried, breaks \(\d+ of 15 runs\), and a longer lease does not help /m,
    )
    expect(stdout).toMatch(/^retention: 300 ms holds \(0 of 15 runs broke\), the shortest tried, and so do all longer/m)
    expect(stdout).toMatch(/^ +6 s +\d+ of 15 runs {2}█+$/m)
    expect(stdout).toMatch(/^replay: .* replay op2_/m)
  })
})

describe('tune of a library', () => {
  it('finds the retention that a mark needs, which must outlast the last copy', async () => {
    const { results } = await leaseOf(temporaryFolder(), 'redlock-5', '--no-html')
    // Its mark lives as long as the retention, and a copy that finds the lock taken comes again a
    // little later.
    const [, retention] = results.layers[0]!.limits
    expect(retention).toMatchObject({ limit: 'retention', holdsFromMs: 6000, refutedMs: 4000 })
  })
})
