import fs from 'node:fs'
import { createRequire } from 'node:module'
import os from 'node:os'
import path from 'node:path'
import { install, packageGraph, sharedVersions } from 'virtual-node/runtime'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Lab } from '../../../packages/virtual-node/test/lab.ts'
import { ModuleState } from '../../../packages/virtual-node/test/runtime/package-lab.ts'
import { drawRun } from '../../../src/campaign/play/draw-run.ts'
import type { Scenario } from '../../../src/contract/api/scenario.ts'
import { type LoadedImplementation, loadImplementation } from '../../../src/sim/adapters/load-implementation.ts'
import { runWorld } from '../../../src/sim/world.ts'

install()

let folder: string
beforeAll(() => {
  folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'packages-')))
})
afterAll(() => fs.rmSync(folder, { recursive: true }))

/**
 * A package of that name with a module-level Map. `seen(key)` returns true if the key was passed
 * before.
 */
const remembering = (name: string, version: string) => ({
  [`node_modules/${name}/package.json`]: JSON.stringify({ name, version }),
  [`node_modules/${name}/index.js`]: `
const asked = new Map()
exports.settings = {}
exports.seen = (key) => asked.has(key) || !asked.set(key, true)`,
})

const layerOf = (name: string, before = '') => `
import { seen, settings } from '${name}'
${before}
export default { id: 'layer', create: ({ sink } = {}) => sink === undefined ? seen('order-1') : ({
  async handle({ key, payload }) {
    if (seen(key)) return { status: 'done', result: null }
    return { status: 'done', result: await sink.perform({ key, payload }) }
  },
  close() {},
}) }`

let folders = 0

function load(files: Record<string, string>): Promise<LoadedImplementation> {
  const own = path.join(folder, String(++folders))
  for (const [file, text] of Object.entries(files)) {
    const whole = path.join(own, file)
    fs.mkdirSync(path.dirname(whole), { recursive: true })
    fs.writeFileSync(whole, text)
  }
  return loadImplementation(path.join(own, 'layer.ts'))
}

/** Returns true for processes whose package remembers the calls of another process. */
async function remembered(loaded: LoadedImplementation, fresh = false): Promise<unknown[]> {
  const answers: unknown[] = []
  const lab = new Lab()
  for (const slot of [0, 1, 2])
    lab.start(async () => {
      const adapter = await loaded.instantiate(`consumer-${slot + 1}`, fresh)
      answers.push(adapter.create(undefined as never))
    }, slot)
  await lab.run()
  expect(lab.deaths).toEqual([])
  return answers
}

const own = [false, false, false]
const shared = [false, true, true]
const listed = { name: 'ioredis', version: sharedVersions.ioredis! }

describe('a package with module-level state', () => {
  it('is separate for each process if it is not listed', async () => {
    const files = { 'layer.ts': layerOf('dedupe-cache'), ...remembering('dedupe-cache', '1.0.0') }
    expect(await remembered(await load(files))).toEqual(own)
  })

  it('is shared if it has the name and version of a listed package, except in fresh graphs', async () => {
    const loaded = await load({ 'layer.ts': layerOf(listed.name), ...remembering(listed.name, listed.version) })
    expect(await remembered(loaded, true)).toEqual(own)
    expect(await remembered(loaded)).toEqual(shared)
  })

  it('is separate for each process in an unlisted version', async () => {
    const files = { 'layer.ts': layerOf(listed.name), ...remembering(listed.name, '5.0.0') }
    expect(await remembered(await load(files))).toEqual(own)
  })

  it('is separate for each process if a listed package requires it', async () => {
    const files = remembering(listed.name, listed.version)
    files[`node_modules/${listed.name}/index.js`] = "module.exports = require('dedupe-cache')"
    const loaded = await load({
      'layer.ts': layerOf(listed.name),
      ...files,
      ...remembering('dedupe-cache', '1.0.0'),
    })
    expect(await remembered(loaded)).toEqual(own)
  })

  it('is separate for each process if the layer changes it during loading', async () => {
    const changing = layerOf(listed.name, 'settings.prefix = String(settings.prefix) + Math.random()')
    const files = { 'layer.ts': changing, ...remembering(listed.name, listed.version) }
    expect(await remembered(await load(files))).toEqual(own)
  })

  it('is separate for each process if it is imported later', async () => {
    const later = layerOf(listed.name, `export const later = () => import('${listed.name}')`)
    const files = { 'layer.ts': later, ...remembering(listed.name, listed.version) }
    expect(await remembered(await load(files))).toEqual(own)
  })
})

describe('a shared package that a layer has changed', () => {
  it('is loaded again for the next layer', async () => {
    const changing = layerOf(listed.name).replace("seen('order-1')", "((settings.changed = true), seen('order-1'))")
    const first = await load({
      'layer.ts': changing,
      'other.ts': layerOf(listed.name),
      ...remembering(listed.name, listed.version),
    })
    expect(await remembered(first)).toEqual(shared)
    const second = await loadImplementation(path.join(path.dirname(first.path), 'other.ts'))
    expect(await remembered(second)).toEqual(shared)
    const third = await loadImplementation(path.join(path.dirname(first.path), 'other.ts'))
    expect(await remembered(third)).toEqual([true, true, true])
  })
})

const scenarioNames = ['key-reuse', 'crash-mid-logic', 'redis-failover', 'cluster-failover']
const root = new URL('../../../', import.meta.url)

async function campaign(
  loaded: LoadedImplementation,
  scenarios: readonly Scenario[],
  seed: number,
  runs = 2,
): Promise<string[]> {
  const digests: string[] = []
  for (const scenario of scenarios)
    for (let run = 0; run < runs; run++) {
      const { value, choiceSeed } = drawRun(scenario, seed, run)
      const request = { scenario, implementation: loaded, sink: 'plain' as const, plan: value.value }
      digests.push((await runWorld({ ...request, choices: { seed: choiceSeed }, record: false })).digest)
    }
  return digests
}

const loadScenarios = () =>
  Promise.all(
    scenarioNames.map(async (name): Promise<Scenario> => (await import(`${root}scenarios/${name}.ts`)).default),
  )

/** Modules of Node, in which packages cannot keep state. */
function broughtByNode(): Set<object> {
  const require = createRequire(import.meta.url)
  const modules = [
    'assert',
    'buffer',
    'crypto',
    'dns',
    'events',
    'net',
    'stream',
    'string_decoder',
    'tls',
    'tty',
    'url',
    'util',
  ]
  const members = [globalThis, process, ...modules.map((name) => require(name) as object)].flatMap((owner) => [
    owner,
    ...Object.values(Object.getOwnPropertyDescriptors(owner)).map(({ value }) => value as unknown),
  ])
  const prototypes = members.map((member) => (member as { prototype?: unknown } | null | undefined)?.prototype)
  return new Set([...members, ...prototypes].filter((one): one is object => Object(one) === one))
}

/** Part of standard-as-callback: it is written and read in one synchronous step. */
const passing = /errorObj > e$/

describe('the listed packages', () => {
  const require = createRequire(createRequire(import.meta.url).resolve('ioredis'))
  const client = require.resolve('ioredis')

  it('are installed here in the listed versions', () => {
    const found = Object.keys(sharedVersions).map((name) => {
      const from = name === 'ms' ? createRequire(require.resolve('debug')) : require
      const at = from.resolve(name).split(`${path.sep}node_modules${path.sep}${name.replace('/', path.sep)}`)[0]!
      return [name, JSON.parse(fs.readFileSync(path.join(at, 'node_modules', name, 'package.json'), 'utf8')).version]
    })
    expect(Object.fromEntries(found)).toEqual(sharedVersions)
  })

  it('hold the same state before and after a campaign', async () => {
    const loaded = await loadImplementation(new URL('implementations/reference/reference.ts', root).pathname)
    const exported = (await packageGraph(new Set([client])))!.shared()!
    const scenarios = await loadScenarios()
    await campaign(loaded, scenarios, 1) // Lazily created state exists now.
    const skipped = broughtByNode()
    const before = new ModuleState(exported, skipped)
    await campaign(loaded, scenarios, 2)
    const differences = before.differences(new ModuleState(exported, skipped))
    expect(before.size).toBeGreaterThan(2000)
    expect(differences.filter((difference) => !passing.test(difference))).toEqual([])
    expect((await packageGraph(new Set([client])))!.isUnchanged).toBe(true)
  }, 120_000)

  it('are found to hold state if they do', async () => {
    const loaded = await load({ 'layer.ts': layerOf(listed.name), ...remembering(listed.name, listed.version) })
    const fake = path.join(path.dirname(loaded.path), 'node_modules', listed.name, 'index.js')
    const exported = (await packageGraph(new Set([fake])))!.shared()!
    const before = new ModuleState(exported, broughtByNode())
    await remembered(loaded)
    const [difference] = before.differences(new ModuleState(exported, broughtByNode()))
    expect(difference).toMatch(/seen > asked > order-1$/)
  })

  it('give the same runs, shared or separate', async () => {
    const scenarios = await loadScenarios()
    for (const file of ['reference/reference.ts', 'articles/000-lua-acquire.ts']) {
      const loaded = await loadImplementation(new URL(`implementations/${file}`, root).pathname)
      const apart = { ...loaded, instantiate: (name: string) => loaded.instantiate(name, true) }
      const only = scenarios.filter(({ shape }) => file.startsWith('reference') || shape !== 'cluster')
      expect(await campaign(loaded, only, 3)).toEqual(await campaign(apart, only, 3))
    }
  }, 120_000)

  it('give different runs if they hold state', async () => {
    const loaded = await load({ 'layer.ts': layerOf(listed.name), ...remembering(listed.name, listed.version) })
    const apart = { ...loaded, instantiate: (name: string) => loaded.instantiate(name, true) }
    const scenarios = (await loadScenarios()).slice(0, 1)
    expect(await campaign(loaded, scenarios, 3, 20)).not.toEqual(await campaign(apart, scenarios, 3, 20))
  })
})
