/** The package from the view of a user who installs it. */
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { subpaths } from '../../src/sim/adapters/subpaths.ts'
import { write } from '../cli/run-cli.ts'
import { type Artifacts, install, pack, root, run, sameVersion, tryRun } from './consumer.ts'
import { describeExample } from './example.ts'
import { onTheReference, scenario, unguardedInCommonJs } from './layers.ts'
import { describePeers } from './peers.ts'

let artifacts: Artifacts
let folder: string

/** The timeout for packing, installing and playing beside other tests. */
const patientMs = 300_000
beforeAll(async () => {
  artifacts = await pack()
  const tools = ['typescript', '@types/node'].map(sameVersion)
  folder = await install([artifacts.onceproof, artifacts.once, ...tools])
}, patientMs)

/**
 * Each compiler thread repeats checks of the others: on two cores, four threads take as long as
 * one.
 */
const frugal = ['--checkers', '1']

const bin = (name: string): string => path.join(root, 'node_modules/.bin', name)
const node = (name: string, text: string) => run(process.execPath, [write(folder, name, text)], folder)

/** The promised exports for authors. They contain nothing of the harness. */
const exported = [
  ...[
    'BrokenRunError',
    'assertAppliesEffectsOnce',
    'atFirst',
    'atNew',
    'beyondTheLease',
    'clusterRedis',
    'defineConfig',
    'defineImplementation',
    'defineInvariant',
    'defineScenario',
    'defineUpgrade',
  ],
  ...[
    'drawAtCommit',
    'drawAtFirst',
    'drawFault',
    'fc',
    'independentRedis',
    'isSinkRefusal',
    'onPostgres',
    'onceProperty',
    'plansOf',
    'postgresServer',
    'purePlans',
    'sentinelRedis',
    'several',
    'simulate',
  ],
  'SimulationError',
  'EffectsError',
].sort()

describe('the packed files', () => {
  it(
    'pass publint and attw',
    async () => {
      const checks = [artifacts.onceproof, artifacts.once].flatMap((artifact) => [
        run(bin('publint'), ['--strict', artifact], root),
        // CommonJS can require ES modules since Node 20.19, the minimum in `engines`.
        run(bin('attw'), [artifact, '--profile', 'esm-only'], root),
      ])
      await Promise.all(checks)
    },
    patientMs,
  )

  it('have declarations, source maps with their sources, and no tests', () => {
    const packed = path.join(folder, 'node_modules/onceproof/dist/packed')
    const map = JSON.parse(fs.readFileSync(path.join(packed, 'src.cli.main.js.map'), 'utf8'))
    expect(map.sources.length).toBeGreaterThan(0)
    for (const source of map.sources) expect(fs.existsSync(path.join(packed, source)), source).toBe(true)
    for (const left of ['test', 'packaging', 'bench', 'dist/adapters', 'node_modules/.cache'])
      expect(fs.existsSync(path.join(folder, 'node_modules/onceproof', left)), left).toBe(false)
  })

  it('declare only the types that the exports need', () => {
    const types = path.join(folder, 'node_modules/onceproof/dist/types')
    const declared = fs.readdirSync(types, { recursive: true }).map(String)
    expect(declared).toContain(path.join('contract', 'api', 'implementation.d.ts'))
    expect(declared.filter((name) => /^(?:cli|campaign|report)|sim.world|packages/.test(name))).toEqual([])
  })
})

describe('tsc --strict, which also checks the declarations of the packages, reports no error', () => {
  const resolutions = [
    ['nodenext', 'nodenext', 'module'],
    ['nodenext', 'nodenext', 'commonjs'],
    ['preserve', 'bundler', 'module'],
  ]
  it.concurrent.each(resolutions)(
    'with module %s, resolution %s and type %s',
    async (module, resolution, type) => {
      const own = path.join(folder, `typed-${resolution}-${type}`)
      write(own, 'package.json', JSON.stringify({ type }))
      await run(process.execPath, [bin1('onceproof'), 'init', 'written.ts'], own)
      write(own, 'reexported.ts', onTheReference('onceproof/once'))
      write(own, 'packed.ts', onTheReference('@onceproof/once'))
      write(own, 'scenario.ts', scenario)
      write(
        own,
        'internal.ts',
        `// @ts-expect-error it is no export\nimport { runWorld } from 'onceproof'\nrunWorld()\n`,
      )
      const compilerOptions = {
        ...{ strict: true, noEmit: true, skipLibCheck: false, target: 'es2023', types: ['node'] },
        ...{ module, moduleResolution: resolution, typeRoots: ['../node_modules/@types'] },
      }
      write(own, 'tsconfig.json', JSON.stringify({ compilerOptions }))
      expect(await tryRun(bin('tsc'), ['-p', own, ...frugal], own)).toMatchObject({ code: 0, stdout: '' })
    },
    patientMs,
  )
})

const bin1 = (name: string): string => path.join(folder, `node_modules/${name}/bin/${name}.mjs`)

describe('the modules of the package', () => {
  it(
    'are the same for import and for require',
    async () => {
      const print = 'console.log(JSON.stringify([Object.keys(main).sort(), Object.keys(once), Object.keys(packed)]))'
      const [imported, required] = await Promise.all([
        node(
          'i.mjs',
          `import * as main from 'onceproof'
import * as once from 'onceproof/once'
import * as packed from '@onceproof/once'
${print}`,
        ),
        node(
          'r.cjs',
          `const [main, once, packed] = ['onceproof', 'onceproof/once', '@onceproof/once'].map((name) => require(name))
${print}`,
        ),
      ])
      const [main, once, packed] = JSON.parse(imported.stdout)
      expect(main).toEqual(exported)
      expect(packed).toEqual(once)
      expect(once).toContain('createOnce')
      expect(JSON.parse(required.stdout)).toEqual([main, once, packed])
      expect(required.stderr).toBe('')
    },
    patientMs,
  )

  it('are the same as the modules for adapters, scenarios and tsc in a clone', () => {
    const { exports } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'))
    const { compilerOptions } = JSON.parse(fs.readFileSync(path.join(root, 'tsconfig.json'), 'utf8'))
    const names = Object.keys(exports).filter((name) => name !== './package.json')
    expect(names.map((name) => name.replace(/^\./, 'onceproof'))).toEqual(Object.keys(subpaths))
    for (const [name, source] of Object.entries(subpaths)) {
      const { types, default: code } = exports[name.replace('onceproof', '.')]
      expect(types).toBe(`./dist/types/${source.replace(/^src\//, '').replace(/\.ts$/, '.d.ts')}`)
      expect(code).toBe(`./dist/packed/${source.replaceAll('/', '.').replace(/\.ts$/, '.js')}`)
      expect(compilerOptions.paths[name]).toEqual([`./${source}`])
    }
  })
})

describe('an installed onceproof', () => {
  it(
    'simulates a CommonJS layer and layers on the reference without output, and quotes a path with a space',
    async () => {
      write(folder, 'my layer.cjs', unguardedInCommonJs)
      write(folder, 'guarded.ts', onTheReference('@onceproof/once'))
      write(folder, 'reexported.ts', onTheReference('onceproof/once'))
      const { stdout, stderr } = await node(
        'simulate.cjs',
        `
const { simulate } = require('onceproof')
const options = { scenarios: ['competing-consumers'], runs: 3, seed: 1, workers: 1 }
const all = ['./my layer.cjs', './guarded.ts', './reexported.ts'].map((implementation) => () => simulate({ implementation, ...options }))
const wrong = [() => simulate({ implementation: './nowhere.ts' }), () => simulate({ implementation: 'reference', run: 3 })]
void (async () => {
  const results = []
  for (const one of [...all, ...wrong]) results.push(await one().catch(({ name, message }) => ({ name, message })))
  require('node:fs').writeFileSync('results.json', JSON.stringify(results))
})()`,
      )
      expect({ stdout, stderr }).toEqual({ stdout: '', stderr: '' })
      const results = JSON.parse(fs.readFileSync(path.join(folder, 'results.json'), 'utf8'))
      const [broken, guarded, reexported, nowhere, misspelt] = results
      expect(broken).toMatchObject({ schemaVersion: 1, exitCode: 1, pairs: [{ implementation: 'unguarded' }] })
      expect(broken.findings[0].replay).toMatch(/^npx onceproof replay op2_\S+ --impl '\.\/my layer\.cjs'$/)
      for (const { pairs } of [guarded, reexported]) expect(pairs[0]).toMatchObject({ runs: 3, violations: [] })
      expect(nowhere).toMatchObject({
        name: 'SimulationError',
        message: expect.stringContaining('./nowhere.ts: no such file'),
      })
      expect(misspelt).toMatchObject({ name: 'TypeError', message: expect.stringContaining('unknown option run') })
    },
    patientMs,
  )

  it('runs the packed files, and compiles nothing', () => {
    const dist = path.join(folder, 'node_modules/onceproof/dist')
    expect(JSON.parse(fs.readFileSync(path.join(dist, 'current.json'), 'utf8')).name).toBe('packed')
    expect(fs.readdirSync(dist).sort()).toEqual(['adapters', 'current.json', 'packed', 'packed.json', 'types'])
  })
})

describe('commands whose package users install themselves', () => describePeers(() => folder))

describe('@onceproof/once', () => {
  it(
    'installs ioredis and nothing else',
    async () => {
      const alone = await install([artifacts.once])
      const { stdout } = await run('npm', ['ls', '--all', '--json'], alone)
      const { dependencies } = JSON.parse(stdout).dependencies['@onceproof/once']
      const installed = Object.entries<{ version?: string }>(dependencies).filter(
        ([, { version }]) => version !== undefined,
      )
      expect(installed.map(([name]) => name)).toEqual(['ioredis'])
      // It also does not load pg, which is an optional peer.
      expect(fs.existsSync(path.join(alone, 'node_modules/pg'))).toBe(false)
      await run(process.execPath, ['--input-type=module', '-e', "await import('@onceproof/once')"], alone)
    },
    patientMs,
  )

  it(
    'guards the effect in the example of its README over TCP',
    async () => {
      const server = spawn(process.execPath, [bin1('onceproof'), 'redis', '--port', '0', '--json'], { cwd: folder })
      try {
        const { port } = await new Promise<{ port: number }>((resolve) => {
          let said = ''
          server.stdout.on('data', (chunk) => {
            said += chunk
            if (said.endsWith('}\n')) resolve(JSON.parse(said))
          })
        })
        const readme = fs.readFileSync(path.join(folder, 'node_modules/@onceproof/once/README.md'), 'utf8')
        const [, example] = /```js\n(.*?)```/s.exec(readme)!
        const { stdout } = await node('effect.mjs', example!.replace('6379', String(port)))
        const done = (repeated: boolean) => ({ status: 'done', result: 1, repeated })
        expect(JSON.parse(stdout)).toEqual({ charges: 1, outcomes: [done(false), done(true)] })
      } finally {
        server.kill()
      }
    },
    patientMs,
  )
})

// This must be last: it adds packages to the folder that the previous tests must not have.
describe('the example project', () => describeExample(() => folder))
