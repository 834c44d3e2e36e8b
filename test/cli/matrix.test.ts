import fs from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Results } from '../../src/contract/results.ts'
import { type CliResult, onceproof, temporaryFolder } from './run-cli.ts'
import { inTurn } from './run-in-turn.ts'

const small = ['matrix', '--impl', '001-get-set', '--scenario', 'competing-consumers', '--runs', '60']

describe('matrix', () => {
  const cwd = temporaryFolder()
  let together: CliResult
  beforeAll(async () => {
    together = await onceproof([...small, '--json', '--workers', '2'], { cwd })
  })

  it('runs a layer on every sink that it can use, and exits 0 for one that is as broken as it says', () => {
    const results: Results = JSON.parse(together.stdout)
    expect(together.code).toBe(0)
    expect(results.pairs.map(({ sink }) => sink)).toEqual(['plain', 'keyed'])
    expect(results.pairs[0]!.violations[0]).toMatchObject({ invariant: 'at-most-once' })
    expect(results.coverage.map(({ implementation }) => implementation)).toEqual(['001-get-set'])
    expect(fs.readFileSync(path.join(cwd, 'reports/latest/index.html'), 'utf8')).toContain('What each layer needs')
  })

  it('gives the same results for any number of workers', async () => {
    const lasting = ({ stdout }: CliResult) => {
      const { timings: _, ...rest } = JSON.parse(stdout)
      return rest
    }
    const alone = await inTurn([...small, '--json', '--workers', '1'])
    expect(lasting(together)).toEqual(lasting(alone))
  })

  it('prints what the layer needs, and a replay command that shows the violation', async () => {
    const { stdout } = await inTurn([...small, '--workers', '1'])
    expect(stdout).toContain('001-get-set: needs a sink that deduplicates by key')
    const [, token] = /^replay: npx onceproof replay (op2_\S+)$/m.exec(stdout)!
    const again = await inTurn(['replay', token!])
    expect(again.code).toBe(1)
  })

  it('--steps tells which kinds of faults each step survives, and no layer for holding where it may', async () => {
    const layers = ['--impl', '001-get-set', '--impl', '000-set-nx-marker']
    const pure = ['--scenario', 'only-redeliveries', '--scenario', 'only-lost-replies']
    const steps = ['matrix', '--steps', ...layers, ...pure, '--runs', '20', '--workers', '1', '--no-html']
    const { code, stdout } = await inTurn(steps, { cwd })
    expect(code).toBe(0)
    expect(stdout).toContain('what each step buys\n')
    expect(stdout).toMatch(/^ +redeliveries +lost-replies$/m)
    expect(stdout).toMatch(/^ {2}naive +✕ \d+ +✓ 20$/m)
    expect(stdout).toMatch(/^ {2}marker +✓ 20 +✕ \d+$/m)
    const file = path.join(cwd, 'reports/latest/results.json')
    const { ladders = [], pairs }: Results = JSON.parse(fs.readFileSync(file, 'utf8'))
    expect(ladders.map(({ name }) => name)).toEqual(['steps', '000', '001'])
    expect(ladders[0]!.steps[0]!.cells[0]).toMatchObject({ broke: { kind: 'duplicate', withoutFault: false } })
    expect(new Set(pairs.map(({ sink }) => sink))).toEqual(new Set(['plain']))
  })

  it('writes the page of patterns only from the whole matrix', async () => {
    const { code, stderr } = await inTurn([...small, '--write-docs', 'patterns.md'])
    expect(code).toBe(2)
    expect(stderr).toContain('leave --impl, --with-next, --scenario and --steps out')
  })

  it('names a folder that the page cannot be written to, before anything is run', async () => {
    const { code, stderr } = await inTurn(['matrix', '--write-docs', 'nowhere/patterns.md'])
    expect(code).toBe(2)
    expect(stderr).toContain('--write-docs nowhere/patterns.md')
  })
})
