/** The compiled code of the command line is made when it is missing, or older than its sources. */
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { browserScript } from '../../src/report/page/browser-script.ts'
import { change, copyOf, packageCopy } from './package-copy.ts'
import { type CliResult, onceproofOf, temporaryFolder, withoutServers, write } from './run-cli.ts'

/**
 * The parts that start and compile the command line, around a small program, because compiling the
 * whole takes seconds each time.
 */
function smallPackage(): string {
  const small = copyOf('bin')
  write(small, 'package.json', JSON.stringify({ type: 'module', exports: {} }))
  for (const folder of ['scenarios', 'src/contract', 'src/run', 'src/sim/plans', 'packages/test-servers/src'])
    write(small, `${folder}/own.ts`, `export const own: string = '${folder}'\n`)
  for (const task of ['worker', 'watchdog', 'property'])
    write(small, `src/cli/${task}-task.ts`, 'export const task: null = null\n')
  write(small, 'src/report/page/browser-script.ts', 'export const browserBuilds: object = {}\n')
  write(small, sentence, `export const sentence: string = 'It says'\n`)
  const main = 'export const main = (args: readonly string[]): void => console.log(sentence, own, ...args)'
  write(
    small,
    'src/cli/main.ts',
    `import { own } from '../run/own.ts'\nimport { sentence } from './sentence.ts'\n${main}\n`,
  )
  return small
}
const sentence = 'src/cli/sentence.ts'
const says = 'It says src/run a word\n'
const saysOther = 'It said src/run a word\n'

const said = async (small: string): Promise<string> => (await onceproofOf(small, ['a word'])).stdout
const current = (copy: string): string =>
  JSON.parse(fs.readFileSync(path.join(copy, 'dist/current.json'), 'utf8')).name as string

describe('compiled code', () => {
  let small: string
  beforeAll(async () => {
    small = smallPackage()
    expect(await said(small)).toBe(says)
  })

  it('is kept while its sources are unchanged, even with new timestamps', async () => {
    const first = current(small)
    await said(small)
    const now = new Date()
    fs.utimesSync(path.join(small, sentence), now, now)
    await said(small)
    expect(current(small)).toBe(first)
  })

  it('is made again if a source has changed by a single letter', async () => {
    const first = current(small)
    change(small, sentence, 'It says', 'It said')
    expect(await said(small)).toBe(saysOther)
    expect(current(small)).not.toBe(first)
    change(small, sentence, 'It said', 'It says')
    expect(await said(small)).toBe(says)
  })

  it('is made again if a part of it is damaged or missing', async () => {
    const part = () => path.join(small, 'dist', current(small), 'src.cli.main.js')
    const first = current(small)
    fs.truncateSync(part(), 100)
    expect(await said(small)).toBe(says)
    const second = current(small)
    expect(second).not.toBe(first)
    fs.rmSync(part())
    expect(await said(small)).toBe(says)
    expect(current(small)).not.toBe(second)
  })

  it('is made again if the pointer to the newest is invalid', async () => {
    for (const nonsense of ['', '{"name":"../src"}']) {
      write(small, 'dist/current.json', nonsense)
      expect(await said(small)).toBe(says)
    }
  })

  it('is the packed one until a source or the packed code changes', async () => {
    const packed = smallPackage()
    const compilePacked = `import { compilePacked } from './bin/compiled.mjs'; await compilePacked(process.cwd())`
    execFileSync(process.execPath, ['--input-type=module', '-e', compilePacked], { cwd: packed })
    expect(await said(packed)).toBe(says)
    expect(current(packed)).toBe('packed')
    change(packed, sentence, 'It says', 'It said')
    expect(await said(packed)).toBe(saysOther)
    expect(current(packed)).not.toBe('packed')
    change(packed, sentence, 'It said', 'It says')
    await said(packed)
    expect(current(packed)).toBe('packed')
    fs.truncateSync(path.join(packed, 'dist/packed/src.cli.main.js'), 100)
    expect(await said(packed)).toBe(says)
    expect(current(packed)).not.toBe('packed')
  })

  it('is made by several processes at once without conflict', async () => {
    const fresh = smallPackage()
    const all = await Promise.all(Array.from({ length: 5 }, () => said(fresh)))
    expect(all).toEqual(Array.from({ length: 5 }, () => says))
    const kept = current(fresh)
    await said(fresh)
    expect(current(fresh)).toBe(kept)
  })

  it('is skipped if a scenario cannot be compiled', async () => {
    const broken = smallPackage()
    write(broken, 'scenarios/broken.ts', 'export default {{')
    expect(await said(broken)).toBe(says)
    expect(fs.existsSync(path.join(broken, 'dist/current.json'))).toBe(false)
  })
})

const played = async (copy: string): Promise<CliResult & { results: Record<string, unknown> }> => {
  const args = ['run', '--scenario', 'competing-consumers', '--runs', '20', '--workers', '1', '--no-html', '--json']
  const result = await onceproofOf(copy, args, { env: withoutServers })
  const { timings: _, ...results } = JSON.parse(result.stdout)
  return { ...result, results }
}

describe('the command line', () => {
  const [compiled, sources] = [packageCopy(), packageCopy()]

  it('gives the same results from compiled code and from sources, if not writable', async () => {
    write(sources, 'dist', 'no folder')
    const [one, other] = await Promise.all([played(compiled), played(sources)])
    expect(fs.existsSync(path.join(compiled, 'dist', current(compiled), 'src.cli.main.js'))).toBe(true)
    expect(fs.readFileSync(path.join(sources, 'dist'), 'utf8')).toBe('no folder')
    expect(other.results).toEqual(one.results)
    expect(one.code).toBe(0)
  })

  it('compiles scripts of pages like the sources, each by its name', () => {
    const folder = path.join(compiled, 'dist', current(compiled))
    const scripts = ['main', 'unpack'].map((name) =>
      fs.readFileSync(path.join(folder, `in-browser.${name}.js`), 'utf8'),
    )
    expect(scripts).toEqual([browserScript('main'), browserScript('unpack')])
    expect(scripts[0]).not.toBe(scripts[1])
  })

  it('shares its modules with a user’s scenario, inside and outside the folder of the package', async () => {
    const ours = ['src/sim/plans/workload.ts', 'src/run/faults/index.ts'].map((file) => path.join(compiled, file))
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
    for (const folder of [compiled, temporaryFolder()]) {
      const shared = write(folder, 'own.ts', scenario('false'))
      const { code, stderr } = await onceproofOf(compiled, ['run', '--scenario', shared, '--runs', '1', '--no-html'])
      expect({ code, stderr }).toMatchObject({ code: 0 })
    }
    const apart = write(compiled, 'apart.ts', scenario('true'))
    const refused = await onceproofOf(compiled, ['run', '--scenario', apart, '--runs', '1', '--no-html'])
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('two copies') })
  })
})
