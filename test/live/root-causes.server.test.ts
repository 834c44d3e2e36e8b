/** `replay-live` of root causes of the last report, as a user runs it. */
import fs from 'node:fs'
import path from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { packageFolder } from '../../src/cli/catalogue.ts'
import type { Results } from '../../src/contract/results/results.ts'
import { onceproof as spawned, temporaryFolder } from '../cli/run-cli.ts'
import { needs } from '../needs/needs.ts'

const temporary = temporaryFolder()
const onceproof = (args: readonly string[], cwd: string) => spawned(args, { cwd, env: { TMPDIR: temporary } })

const inPackage = (file: string): string => path.join(packageFolder, file)

/** A layer that reads before it writes, in a folder with its report. */
async function reportOnLayer(): Promise<{ cwd: string; layer: string; results: Results }> {
  const cwd = temporaryFolder()
  const layer = path.join(cwd, 'layer.ts')
  const text = fs.readFileSync(inPackage('implementations/articles/001-get-set.ts'), 'utf8')
  fs.writeFileSync(layer, text.replace('../../src/contract', inPackage('src/contract')))
  fs.symlinkSync(inPackage('node_modules'), path.join(cwd, 'node_modules'))
  const args = ['--impl', './layer.ts', '--scenario', 'key-reuse', '--runs', '10', '--workers', '1', '--no-html']
  await onceproof(['run', ...args, '--json'], cwd)
  const results = JSON.parse(fs.readFileSync(path.join(cwd, 'reports/latest/results.json'), 'utf8'))
  return { cwd, layer, results }
}

needs({ redis: '7.0' }).describe('root causes of a report', () => {
  let report: ReturnType<typeof reportOnLayer>
  beforeAll(() => void (report = reportOnLayer()))

  it('are replayed on real servers within the budget, with a line each', async () => {
    const { cwd, results } = await report
    const { code, stdout } = await onceproof(['replay-live', '--all', '--with', 'local'], cwd)
    const lines = stdout.split('\n').filter((line) => /^ \d/.test(line))
    expect(lines.map((line) => line.slice(0, 15)).sort()).toEqual(
      results.rootCauses.map(({ id }) => ` ${id}  confirmed: `),
    )
    expect(code).toBe(1)
    const one = await onceproof(['replay-live', '1', '--with', 'local'], cwd)
    expect(one.stdout).toMatch(/^\d+ steps take about \d s on real servers\n.*\nconfirmed on local: Redis /m)
  })

  it('are skipped with a line each if they take longer than the budget', async () => {
    const { cwd, results } = await report
    const { code, stdout } = await onceproof(['replay-live', '--all', '--with', 'local', '--budget', '1ms'], cwd)
    const lines = stdout.split('\n').filter((line) => /^ \d/.test(line))
    expect(lines.map((line) => line.slice(0, 14)).sort()).toEqual(
      results.rootCauses.map(({ id }) => ` ${id}  left out: `),
    )
    expect(stdout).toMatch(/\n {4}takes about \d s; 0 ms of --budget are left\n/)
    expect(code).toBe(4)
  })

  it('are not replayed without a server: one line names what to install', async () => {
    const { cwd } = await report
    for (const what of ['1', '--all']) {
      const { code, stderr } = await onceproof(['replay-live', what, '--with', 'local', '--redis-binary', 'none'], cwd)
      expect([code, stderr]).toEqual([2, expect.stringMatching(/^onceproof: none: no such program; install it/m)])
    }
  })

  it('are not confirmed if the layer was changed meanwhile', async () => {
    const { cwd, layer } = await report
    const looks = 'await client.get(mark)'
    const claims = "!(await client.set(mark, '0', 'EX', markSeconds, 'NX'))"
    fs.writeFileSync(layer, fs.readFileSync(layer, 'utf8').replace(looks, claims))
    const changed = await onceproof(['replay-live', '1', '--with', 'local'], cwd)
    const why = /\ncannot be made\n {2}the present layer does not break this way in the simulator\n/
    expect([changed.code, changed.stdout]).toEqual([4, expect.stringMatching(why)])
  })
})
