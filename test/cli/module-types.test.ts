/** Adapters and scenarios of the user's own, in folders whose package.json says one thing, the other, or is not there. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { onceproof, temporaryFolder, write } from './run-cli.ts'
import { inTurn } from './run-in-turn.ts'

const endings = ['ts', 'mts', 'js', 'mjs']
const nodeModules = path.join(import.meta.dirname, '../../node_modules')

const scenario = (ending: string) => `
import fc from 'fast-check'
import { defineScenario, plansOf } from 'onceproof'
import { assumptions } from './part.${ending}'
if (!import.meta.url.endsWith('/s.${ending}')) throw new Error(import.meta.url)
export default defineScenario({
  ...{ id: 's-${ending}', story: '', shape: 'single', assumptions, invariants: ['at-most-once'], goals: [] },
  recoveryCapMs: 60_000,
  plans: plansOf({ faults: [], consumers: 1, messages: 1, effectMs: fc.constant(5) }),
})
`
const adapter = (ending: string) => `
import { Redis } from 'ioredis'
import { defineImplementation } from 'onceproof'
import { assumptions } from './part.${ending}'
export default defineImplementation({
  id: 'a-${ending}',
  create({ redis, sink }) {
    const client = new Redis(redis.options)
    return {
      async handle({ key, payload }) {
        await client.set(key, assumptions[0])
        return { status: 'done', result: await sink.perform({ key, payload }) }
      },
    }
  },
})
`

function folder(packageJson: object | null): string {
  const cwd = temporaryFolder()
  if (packageJson !== null) write(cwd, 'package.json', JSON.stringify(packageJson))
  fs.symlinkSync(nodeModules, path.join(cwd, 'node_modules'))
  for (const ending of endings) {
    write(cwd, `part.${ending}`, `export const assumptions = ['one server']\n`)
    write(cwd, `s.${ending}`, scenario(ending))
    write(cwd, `a.${ending}`, adapter(ending))
  }
  return cwd
}

describe('adapters and scenarios as .ts, .mts, .js and .mjs', () => {
  const folders = [
    ['no package.json', null],
    ['"type": "commonjs"', { type: 'commonjs' }],
    ['"type": "module"', { type: 'module' }],
  ] as const
  it.each(folders)('are loaded from a folder with %s', async (_, packageJson) => {
    const chosen = endings.flatMap((ending) => ['--scenario', `./s.${ending}`, '--impl', `./a.${ending}`])
    const args = [...chosen, '--runs', '1', '--workers', '1', '--json']
    const { stdout, stderr } = await inTurn(args, { cwd: folder(packageJson) })
    expect(stderr).not.toContain('onceproof:')
    const pairs: { implementation: string; scenario: string; effects: number }[] = JSON.parse(stdout).pairs
    expect(pairs.map((pair) => `${pair.implementation} ${pair.scenario}`).sort()).toEqual(
      endings.flatMap((a) => endings.map((s) => `a-${a} s-${s}`)).sort(),
    )
    expect(pairs.every(({ effects }) => effects > 0)).toBe(true)
  })
})

describe('a scenario that is no ES module, or cannot be loaded, is one line and exit 2:', () => {
  const bad: readonly [string, string, RegExp][] = [
    [
      'required.js',
      `const fc = require('fast-check')\n`,
      /`require\("fast-check"\)`: a scenario is an ES module; import it/,
    ],
    ['half.ts', 'export default {', /it cannot be compiled: .* \(half\.ts:1\)$/],
    ['gone.ts', `import './nowhere.ts'\n`, /Could not resolve "\.\/nowhere\.ts" \(gone\.ts:1\)$/],
    [
      'missing.ts',
      `import 'nowhere'\n`,
      /Could not resolve "nowhere" \(missing\.ts:1\); install it where that file is$/,
    ],
    ['throws.ts', `throw new Error('no config')\n`, /it throws while it is loaded \(no config\); /],
    ['waits.ts', 'await new Promise(() => {})\n', /it is not loaded after 10 s; what does it `await`\?$/],
  ]
  it.concurrent.each(bad)('%s', async (name, text, line) => {
    const cwd = temporaryFolder()
    write(cwd, name, text)
    const { code, stderr } = await onceproof(['--scenario', `./${name}`, '--workers', '1'], { cwd })
    const said = stderr.split('\n').filter((one) => one.startsWith('onceproof:'))
    expect(said).toEqual([expect.stringMatching(line)])
    expect(said[0]).toContain(`onceproof: ${name}: `)
    expect(code).toBe(2)
  })
})
