import fs from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder, write } from './run-cli.ts'
import { onceproofHere } from './run-here.ts'

it('--last-failed plays pairs that did not pass, or all if none is known or failed', async () => {
  const cwd = temporaryFolder()
  const create = `() => ({ handle: async () => ({ status: 'refused', error: 'closed' }) })`
  write(cwd, 'mine.js', `export default { id: 'mine', create: ${create} }`)
  const scenarios = ['--scenario', 'only-consumer-clocks', '--scenario', 'competing-consumers']
  const few = ['--impl', './mine.js', ...scenarios, '--runs', '1', '--workers', '1', '--no-html', '--last-failed']
  const first = await onceproofHere(few, { cwd })
  expect(first.stdout).toContain('no last report: playing every pair')
  const report = path.join(cwd, 'reports/latest/results.json')
  const results = JSON.parse(fs.readFileSync(report, 'utf8'))
  const scenariosOf = () =>
    JSON.parse(fs.readFileSync(report, 'utf8')).pairs.map(({ scenario }: { scenario: string }) => scenario)
  expect(scenariosOf()).toEqual(['competing-consumers', 'only-consumer-clocks'])
  const keep = (verdicts: readonly string[]) => {
    const pairs = results.pairs.map((pair: object, at: number) => ({ ...pair, verdict: verdicts[at] }))
    fs.writeFileSync(report, JSON.stringify({ ...results, pairs }))
  }
  keep(['pass', 'unknown'])
  await onceproofHere(few, { cwd })
  expect(scenariosOf()).toEqual(['only-consumer-clocks'])
  keep(['pass', 'pass'])
  const none = await onceproofHere(few, { cwd })
  expect(none.stdout).toContain('no failure of these pairs in the last report: playing every pair')
  expect(scenariosOf()).toHaveLength(2)
  fs.writeFileSync(report, '{"pairs": 1}')
  const damaged = await onceproofHere(few, { cwd })
  expect(damaged).toMatchObject({ code: 2 })
  expect(damaged.stderr).toContain('not the results of a campaign; delete it')
})
