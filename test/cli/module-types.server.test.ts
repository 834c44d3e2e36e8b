/** Layers and scenarios in folders with and without a package.json that sets a module type. */
import fs from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { onceproof, temporaryFolder, withoutServers, write } from './run-cli.ts'

const endings = ['ts', 'mts', 'js', 'mjs']
const nodeModules = path.join(import.meta.dirname, '../../node_modules')

const scenario = (ending: string, kind: string) => `
import fc from 'fast-check'
import { defineScenario, plansOf } from 'onceproof'
import { assumptions } from './part.${ending}'
if (!import.meta.url.endsWith('/s.${ending}')) throw new Error(import.meta.url)
export default defineScenario({
  ...{ id: 's-${ending}-${kind}', story: '', shape: 'single', assumptions, invariants: ['at-most-once'], goals: [] },
  recoveryCapMs: 60_000,
  plans: plansOf({ faults: [], consumers: 1, messages: 1, effectMs: fc.constant(5) }),
})
`
const adapter = (ending: string, kind: string) => `
import { Redis } from 'ioredis'
import { defineImplementation } from 'onceproof'
import { assumptions } from './part.${ending}'
export default defineImplementation({
  id: 'a-${ending}-${kind}',
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

const kinds = {
  none: null,
  commonjs: { type: 'commonjs' },
  module: { type: 'module' },
} as const

/** Layers and scenarios with all extensions for each kind of package.json, and one config. */
function project(): string {
  const cwd = temporaryFolder()
  fs.symlinkSync(nodeModules, path.join(cwd, 'node_modules'))
  for (const [kind, packageJson] of Object.entries(kinds)) {
    if (packageJson !== null) write(cwd, `${kind}/package.json`, JSON.stringify(packageJson))
    for (const ending of endings) {
      write(cwd, `${kind}/part.${ending}`, `export const assumptions = ['one server']\n`)
      write(cwd, `${kind}/s.${ending}`, scenario(ending, kind))
      write(cwd, `${kind}/a.${ending}`, adapter(ending, kind))
    }
  }
  const config = `{ implementations: ['./*/a.*'], scenarios: ['./*/s.*'], runs: 1 }`
  write(
    cwd,
    'onceproof.config.ts',
    `import { defineConfig } from 'onceproof'\nexport default defineConfig(${config})\n`,
  )
  return cwd
}

// In a process, because its own code is compiled, and these files import parts of it.
it('layers and scenarios may be .ts, .mts, .js or .mjs with any package.json', async () => {
  const args = ['--workers', '1', '--json', '--no-html']
  const { stdout, stderr } = await onceproof(args, { cwd: project(), env: withoutServers })
  expect(stderr).not.toContain('onceproof:')
  const pairs: { implementation: string; scenario: string; effects: number }[] = JSON.parse(stdout).pairs
  const names = Object.keys(kinds).flatMap((kind) => endings.map((ending) => `${ending}-${kind}`))
  expect(pairs.map((pair) => `${pair.implementation} ${pair.scenario}`).sort()).toEqual(
    names.flatMap((a) => names.map((s) => `a-${a} s-${s}`)).sort(),
  )
  expect(pairs.every(({ effects }) => effects > 0)).toBe(true)
})
