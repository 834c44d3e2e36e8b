import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadScenario } from '../../src/cli/load-scenario.ts'
import { selectCells } from '../../src/cli/select-cells.ts'
import type { LoadedImplementation } from '../../src/sim/adapters/load-implementation.ts'
import { allFacts, factsOf } from '../../tools/library-comparison/library-facts.ts'
import { expectRefusal } from '../cli/refusal.ts'
import { temporaryFolder } from '../cli/run-cli.ts'

const folder = new URL('../../implementations/third-party/', import.meta.url)
const ids = fs
  .readdirSync(folder)
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.replace(/\.ts$/, ''))
/** Programs are named by the command that starts them, and are not in a list of ids. */
const programs = ['redis-py-lock']

const header = `/**
 * Library: a-lock, b-client
 * Promises: one holder
 *   at a time.
 * Said in: its README.
 * Used: nothing but defaults.
 * Left:
 * - crash, beyond: a lock is
 *   no memory.
 * - copies, promised: it says so.
 */
export default {}
`
const pinned = { 'a-lock': '1.2.3', 'b-client': 'npm:b@2.0.0-beta.1' }

describe('the header of a library', () => {
  it('exists in every adapter, with facts and versions', () => {
    expect(
      allFacts()
        .map(({ id }) => id)
        .sort(),
    ).toEqual([...ids, ...programs].sort())
    expect(ids.length).toBeGreaterThan(9)
  })

  it('is parsed with its continuation lines', () => {
    expect(factsOf('a', header, pinned)).toEqual({
      id: 'a',
      impl: 'a',
      packages: ['a-lock 1.2.3', 'b 2.0.0-beta.1'],
      promises: 'One holder at a time.',
      saidIn: 'Its README.',
      used: 'Nothing but defaults.',
      left: [
        { asked: 'crash', beyond: true, sentence: 'a lock is no memory.' },
        { asked: 'copies', beyond: false, sentence: 'it says so.' },
      ],
    })
  })

  it('is a docstring in Python, which also has the version', () => {
    const docstring = header
      .replace('/**', '"""')
      .replace(' */', '"""')
      .replaceAll(/^ \* ?/gm, '')
    const source = docstring.replace('a-lock, b-client', 'python3-lock 1.2')
    expect(factsOf('a', source, {})).toEqual({ ...factsOf('a', header, pinned), packages: ['python3-lock 1.2'] })
    expect(allFacts().find(({ id }) => id === 'redis-py-lock')).toMatchObject({
      impl: 'exec:python3 implementations/third-party/redis_py_lock.py',
    })
  })

  it.each([
    ['no header', 'export default {}', 'a: it has no header'],
    ['no promise', header.replace(/ \* Promises[\s\S]*? time\.\n/, ''), 'a: its header has no "Promises:"'],
    ['an empty fact', header.replace('its README.', ''), 'a: its header has no "Said in:"'],
    ['an unknown question', header.replace('- crash', '- weather'), '"- weather, beyond: a lock is no memory."'],
    ['neither beyond nor promised', header.replace('beyond', 'sadly'), 'should be "- <what is asked>, beyond|promised'],
  ])('is refused with %s', (_, source, problem) => {
    expect(() => factsOf('a', source, pinned)).toThrow(problem)
  })

  it.each(['^1.2.3', '1.2', undefined])('is refused if its package is pinned to %s', (version) => {
    expect(() => factsOf('a', header, { ...pinned, 'a-lock': version as string })).toThrow(
      'a: package.json should pin a-lock to one version',
    )
  })
})

describe('libraries', () => {
  it('are part of a matrix only if they are named', async () => {
    const unloaded = async (file: string) =>
      ({ implementation: { id: path.basename(file, '.ts') } }) as LoadedImplementation
    const wanted = { scenarios: ['only-crashes'], runs: { holds: 1, broken: 1, pure: 1 } }
    const cells = async (implementations: string[] | undefined) =>
      (await selectCells({ ...wanted, implementations }, { loadImplementation: unloaded, loadScenario })).map(
        ({ choice }) => choice.implementationName,
      )
    const all = await cells(undefined)
    expect(all).toContain('001-get-set')
    expect(all.filter((name) => ids.includes(name))).toEqual([])
    expect(await cells(['redlock-4'])).toEqual(['redlock-4'])
  })

  it('are reported if they are not installed', async () => {
    const elsewhere = temporaryFolder()
    const copy = path.join(elsewhere, 'implementations', 'third-party')
    fs.cpSync(folder, copy, { recursive: true })
    fs.symlinkSync(new URL('../../src', import.meta.url), path.join(elsewhere, 'src'))
    const line = /redlock-4\.ts: it cannot be compiled: Could not resolve "(ioredis|redlock4)" .*install it/
    await expectRefusal(['--impl', path.join(copy, 'redlock-4.ts'), '--scenario', 'lost-reply'], 2, line)
  })
})
