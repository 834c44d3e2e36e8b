import fs from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { packageFolder } from '../../src/cli/catalogue.ts'
import type { Results } from '../../src/contract/results/results.ts'
import { type CliResult, temporaryFolder, write } from './run-cli.ts'
import { onceproofHere } from './run-here.ts'

describe('the command matrix', () => {
  const cwd = temporaryFolder()
  let ran: CliResult
  let results: Results
  beforeAll(async () => {
    // Results use the id of a layer, and tokens its file.
    const naive = path.join(packageFolder, 'implementations/articles/001-get-set.ts')
    write(cwd, 'naive.ts', `export { default } from ${JSON.stringify(naive)}`)
    const small = ['--impl', './naive.ts', '--scenario', 'competing-consumers', '--runs', '5', '--workers', '1']
    ran = await onceproofHere(['matrix', ...small], { cwd })
    results = JSON.parse(fs.readFileSync(path.join(cwd, 'reports/latest/results.json'), 'utf8'))
  })

  it('plays a layer on every sink that it can use, and exits with 0 if it is as broken as declared', () => {
    expect(ran.code).toBe(0)
    expect(results.pairs.map(({ sink }) => sink)).toEqual(['plain', 'keyed'])
    expect(results.pairs[0]!.violations[0]).toMatchObject({ invariant: 'at-most-once' })
    expect(results.coverage.map(({ implementation }) => implementation)).toEqual(['001-get-set'])
    expect(fs.readFileSync(path.join(cwd, 'reports/latest/index.html'), 'utf8')).toContain('What each layer needs')
  })

  it('prints the requirement of the layer, and a replay command for the violation', async () => {
    expect(ran.stdout).toContain('001-get-set: needs a sink that deduplicates by key')
    const [, token] = /^replay: npx onceproof replay (op2_\S+) --impl \.\/naive\.ts$/m.exec(ran.stdout)!
    const again = await onceproofHere(['replay', token!, '--impl', './naive.ts'], { cwd })
    expect(again.code).toBe(1)
  })

  it('prints with --steps the kinds of faults that each step survives', async () => {
    const layers = ['--impl', '001-get-set', '--impl', '000-set-nx-marker']
    const pure = ['--scenario', 'only-redeliveries', '--scenario', 'only-lost-replies']
    const steps = ['matrix', '--steps', ...layers, ...pure, '--runs', '20', '--workers', '1', '--no-html']
    const { code, stdout } = await onceproofHere(steps, { cwd })
    expect(code).toBe(0)
    expect(stdout).toContain('what each step gains\n')
    expect(stdout).toMatch(/^ +redeliveries +lost-replies$/m)
    expect(stdout).toMatch(/^ {2}naive +✕ \d+ +✓ 20$/m)
    expect(stdout).toMatch(/^ {2}marker +✓ 20 +✕ \d+$/m)
    const file = path.join(cwd, 'reports/latest/results.json')
    const { ladders: tables = [], pairs }: Results = JSON.parse(fs.readFileSync(file, 'utf8'))
    expect(tables.map(({ name }) => name)).toEqual(['steps', '000', '001'])
    expect(tables[0]!.steps[0]!.cells[0]).toMatchObject({ broke: { kind: 'duplicate', withoutFault: false } })
    expect(new Set(pairs.map(({ sink }) => sink))).toEqual(new Set(['plain']))
  })
})
