/** The command line's compiled code: made when it is missing, made again when it is older than its sources. */
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { type CliResult, onceproofOf, temporaryFolder, write } from './run-cli.ts'

const project = fileURLToPath(new URL('../../', import.meta.url))

/** The package in a folder of its own, never started. */
function packageCopy(): string {
  const copy = temporaryFolder()
  for (const name of ['bin', 'src', 'scenarios', 'implementations', 'lua', 'package.json'])
    fs.cpSync(path.join(project, name), path.join(copy, name), { recursive: true })
  fs.symlinkSync(path.join(project, 'node_modules'), path.join(copy, 'node_modules'))
  return copy
}

const current = (copy: string): string =>
  JSON.parse(fs.readFileSync(path.join(copy, 'dist/current.json'), 'utf8')).name as string
const help = async (copy: string): Promise<string> => (await onceproofOf(copy, ['--help'])).stdout
const change = (copy: string, file: string, from: string, to: string): void => {
  const whole = path.join(copy, file)
  fs.writeFileSync(whole, fs.readFileSync(whole, 'utf8').replace(from, to))
}
/** Of two chunks, so that there is work for two. */
const played = async (copy: string, workers: 1 | 2): Promise<CliResult & { results: Record<string, unknown> }> => {
  const wanted = ['--scenario', 'competing-consumers', '--runs', '21', '--workers', `${workers}`]
  const args = ['run', ...wanted, '--no-html', '--json']
  const result = await onceproofOf(copy, args)
  const { timings: _, ...results } = JSON.parse(result.stdout)
  return { ...result, results }
}

describe('compiled code', () => {
  let copy: string
  beforeAll(async () => {
    copy = packageCopy()
    expect(await help(copy)).toContain('Can the side effect of one key happen twice')
  })

  it('is kept while its sources stay the same, and when only their time stamps change', async () => {
    const first = current(copy)
    await help(copy)
    const now = new Date()
    fs.utimesSync(path.join(copy, 'src/cli/main.ts'), now, now)
    await help(copy)
    expect(current(copy)).toBe(first)
  })

  it('is made again when a source has changed, even by no more than a letter', async () => {
    const first = current(copy)
    change(copy, 'src/cli/command-line.ts', 'Can the side', 'Cap the side')
    expect(await help(copy)).toContain('Cap the side effect')
    expect(current(copy)).not.toBe(first)
    change(copy, 'src/cli/command-line.ts', 'Cap the side', 'Can the side')
    expect(await help(copy)).toContain('Can the side effect')
  })

  it('is made again when a part of it is damaged or gone', async () => {
    const part = () => path.join(copy, 'dist', current(copy), 'src.cli.main.js')
    const first = current(copy)
    fs.truncateSync(part(), 100)
    expect(await help(copy)).toContain('Can the side effect')
    const second = current(copy)
    expect(second).not.toBe(first)
    fs.rmSync(part())
    expect(await help(copy)).toContain('Can the side effect')
    expect(current(copy)).not.toBe(second)
  })

  it('is made again when what says which is the newest makes no sense', async () => {
    for (const nonsense of ['', '{"name":"../src"}']) {
      write(copy, 'dist/current.json', nonsense)
      expect(await help(copy)).toContain('Can the side effect')
    }
  })

  it('is what was packed, until a source or what was packed is another', async () => {
    const packed = packageCopy()
    const compilePacked = `import { compilePacked } from './bin/compiled.mjs'; await compilePacked(process.cwd())`
    execFileSync(process.execPath, ['--input-type=module', '-e', compilePacked], { cwd: packed })
    expect(await help(packed)).toContain('Can the side effect')
    expect(current(packed)).toBe('packed')
    change(packed, 'src/cli/command-line.ts', 'Can the side', 'Cap the side')
    expect(await help(packed)).toContain('Cap the side effect')
    expect(current(packed)).not.toBe('packed')
    change(packed, 'src/cli/command-line.ts', 'Cap the side', 'Can the side')
    await help(packed)
    expect(current(packed)).toBe('packed')
    fs.truncateSync(path.join(packed, 'dist/packed/src.cli.main.js'), 100)
    expect(await help(packed)).toContain('Can the side effect')
    expect(current(packed)).not.toBe('packed')
  })

  it("shares its modules with a user's scenario, in the package's folder and out of it", async () => {
    const ours = ['src/sim/plans/workload.ts', 'src/run/faults/index.ts'].map((file) => path.join(copy, file))
    const scenario = (differs: string) => `
import { plansOf, defineScenario } from 'onceproof'
import { plansOf as same } from ${JSON.stringify(ours[0])}
import { faults } from ${JSON.stringify(ours[1])}
if (plansOf !== same || ${differs}) throw new Error('two copies')
export default defineScenario({
  ...{ id: 'own', story: '', shape: 'single', assumptions: [], invariants: ['at-most-once'], goals: [] },
  recoveryCapMs: 60_000,
  plans: plansOf({ faults: [...faults.keys()].slice(0, 1), consumers: 1, messages: 1 }),
})`
    for (const folder of [copy, temporaryFolder()]) {
      const shared = write(folder, 'own.ts', scenario('false'))
      const { code, stderr } = await onceproofOf(copy, ['run', '--scenario', shared, '--runs', '1', '--no-html'])
      expect({ code, stderr }).toMatchObject({ code: 0 })
      const apart = write(folder, 'apart.ts', scenario('true'))
      const refused = await onceproofOf(copy, ['run', '--scenario', apart, '--runs', '1', '--no-html'])
      expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('two copies') })
    }
  })
})

describe('the command line', () => {
  it('finds the same from compiled code and from its sources, where nothing can be written', async () => {
    const [compiled, sources] = [packageCopy(), packageCopy()]
    write(sources, 'dist', 'no folder')
    const [one, other] = await Promise.all([played(compiled, 2), played(sources, 1)])
    expect(fs.existsSync(path.join(compiled, 'dist', current(compiled), 'src.cli.main.js'))).toBe(true)
    expect(fs.readFileSync(path.join(sources, 'dist'), 'utf8')).toBe('no folder')
    expect(other.results).toEqual(one.results)
    expect(one.code).toBe(0)
  })

  it('is compiled by several processes at once without harm', async () => {
    const copy = packageCopy()
    const all = await Promise.all([help(copy), help(copy), help(copy)])
    expect(new Set(all).size).toBe(1)
    expect(all[0]).toContain('Can the side effect')
    const kept = current(copy)
    await help(copy)
    expect(current(copy)).toBe(kept)
  })

  it('runs although a scenario of the catalogue cannot be compiled, which is named when it is asked for', async () => {
    const copy = packageCopy()
    write(copy, 'scenarios/broken.ts', 'export default {{')
    expect(await help(copy)).toContain('Can the side effect')
    const { code, stderr } = await onceproofOf(copy, ['run', '--scenario', 'broken', '--runs', '1'])
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('scenarios/broken.ts') })
  })
})
