import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { LoadError, loadImplementation } from '../../../src/sim/adapters/load-implementation.ts'
import { AdapterLab, createdBy, giving } from './adapter-lab.ts'

const lab = new AdapterLab()
const adapter = (name: string, files: Record<string, string>) => lab.adapter(name, files)
const created = async (file: string, names: string[], fresh = false) =>
  createdBy(await loadImplementation(file), names, fresh)

describe('a loaded adapter', () => {
  it('has module-level state for each process, which is kept between runs', async () => {
    const file = adapter('state', {
      'layer.ts': giving('count()', "import { count } from './counter.js'"),
      'counter.js': 'let calls = 0\nexport const count = () => ++calls',
    })
    expect(await created(file, ['consumer-1', 'consumer-2', 'consumer-1', 'consumer-1.2'])).toEqual([1, 1, 2, 1])
  })

  it('has a fresh module graph on request', async () => {
    const file = adapter('fresh', { 'layer.ts': giving('++calls', 'let calls = 0') })
    expect(await created(file, ['consumer-1', 'consumer-1'], true)).toEqual([1, 1])
  })

  it('draws values of its process at load time, which are the same in every load', async () => {
    const before = `
import crypto from 'node:crypto'
import os from 'node:os'
const drawn = [process.pid, os.hostname(), crypto.randomUUID(), Date.now()]
let later: unknown[] = []
void Promise.resolve().then(() => { later = [process.pid, Math.random()] })`
    const file = adapter('drawn', { 'layer.ts': giving('[...drawn, ...later, process.pid]', before) })
    const [first, second] = (await created(file, ['consumer-1', 'consumer-2'])) as [unknown[], unknown[]]
    expect(first[0]).toBe(1001)
    expect(second[0]).toBe(1101)
    expect([first[4], first[6]]).toEqual([1001, 1001])
    expect(first[3]).toBe(1_767_225_600_000)
    for (const at of [0, 1, 2, 5]) expect(first[at]).not.toBe(second[at])
    expect(await created(file, ['consumer-1', 'consumer-2'])).toEqual([first, second])
  })

  it('finds files beside each of its files', async () => {
    const own = `
import path from 'node:path'
import { fileURLToPath } from 'node:url'
const __filename = fileURLToPath(import.meta.url)
const __dirname = path.dirname(__filename)
const read = (name: string) => new URL(name, import.meta.url).pathname`
    const file = adapter('urls', {
      'layer.ts': giving(
        '[__filename, __dirname, read("a.lua"), deep, legacy]',
        `${own}
import { deep } from './deep/module.ts'
import legacy from './deep/legacy.cjs'`,
      ),
      'deep/module.ts':
        '#!/usr/bin/env node\nexport const deep = [import.meta.url, import.meta.dirname, "import.meta.url"]',
      'deep/legacy.cjs':
        '/* old */ "use strict"\nmodule.exports = [__filename, __dirname, (function () { return this })()]',
    })
    const here = path.join(lab.folder, 'urls')
    const deep = path.join(here, 'deep')
    expect(await created(file, ['consumer-1'])).toEqual([
      [
        file,
        here,
        path.join(here, 'a.lua'),
        [`file://${deep}/module.ts`, deep, 'import.meta.url'],
        [path.join(deep, 'legacy.cjs'), deep, undefined],
      ],
    ])
  })

  it('keeps the lines of its sources', async () => {
    const file = adapter('lines', { 'layer.ts': '\n\nimport.meta.url\nexport default { id: 1,\n create() {} }' })
    const error = await loadImplementation(file).catch((thrown) => thrown)
    expect(error.remedy).toContain('no `id`')
    const broken = adapter('line', { 'layer.ts': '\n\nimport.meta.url\nconst = 5' })
    expect((await loadImplementation(broken).catch((thrown) => thrown)).remedy).toMatch(/layer\.ts:4\)$/)
  })
})

describe('a layer in CommonJS', () => {
  const forms = {
    'is what the module exports': "module.exports = { id: 'legacy', create() {} }",
    'is its export `default`': "exports.default = { id: 'legacy', create() {} }",
    'loads by `defineImplementation` of onceproof':
      "const { defineImplementation } = require('onceproof')\nmodule.exports = defineImplementation({ id: 'legacy', create() {} })",
    'names a module at run time':
      "module.exports = { id: ['legacy'].map((name) => require('./' + name + '.cjs'))[0], create() {} }",
  }
  it.each(Object.entries(forms))('%s', async (name, source) => {
    const files = { 'layer.cjs': source, 'legacy.cjs': "module.exports = 'legacy'" }
    const { implementation } = await loadImplementation(lab.adapter(`cjs ${name.replaceAll(/\W/g, ' ')}`, files))
    expect(implementation.id).toBe('legacy')
  })

  it('is refused without `create`', async () => {
    const file = lab.adapter('cjs without', { 'layer.cjs': "module.exports = { id: 'legacy' }" })
    await expect(loadImplementation(file)).rejects.toThrow('no default export made by defineImplementation')
  })
})

/** Unusable adapters, and their advice. */
const bad: Record<string, [source: string, remedy: RegExp]> = {
  'throws on load': ["throw new Error('no config')", /throws when loaded \(no config\); make it load/],
  'rejects on load': ["void Promise.reject(new Error('no config'))", /throws when loaded \(no config\)/],
  'throws in a tick on load': ["process.nextTick(() => { throw new Error('late') })", /throws when loaded \(late\)/],
  'throws a text': ["throw 'just a text'", /throws when loaded \(just a text\)/],
  'exits on load': ['process.exit(1)', /throws when loaded \(process\.exit\(1\)\)/],
  'exports nothing': ['const a = 1', /no default export made by defineImplementation/],
  'exports a function': ['export default () => {}', /no default export made by defineImplementation/],
  'has no id': ['export default { create() {} }', /no `id`/],
  'has no create': ["export default { id: 'mine' }", /the implementation mine has no `create`/],
  'names an unknown sink': [
    "export default { id: 'mine', create() {}, sinks: ['kitchen'] }",
    /`sinks` .* an unknown kitchen; known: plain, /,
  ],
  'has a text as sinks': [
    "export default { id: 'mine', create() {}, sinks: 'plain' }",
    /`sinks` of .* is not an array/,
  ],
  'misspells a mechanism': [
    "export default { id: 'mine', create() {}, lacks: ['offlineQueue'] }",
    /`lacks` .* an unknown offlineQueue; .*offline-queue/,
  ],
  'has an object as mechanisms': [
    "export default { id: 'mine', create() {}, has: { pipeline: true } }",
    /`has` of .* is not an array/,
  ],
  'names an unknown shape': [
    "export default { id: 'mine', create() {}, shapes: ['sentinels'] }",
    /known: single, sentinel, cluster/,
  ],
  'has a bound that is not a number': [
    "export default { id: 'mine', create() {}, recoveryBoundMs: NaN }",
    /`recoveryBoundMs` .* not a number/,
  ],
  'has a shortest lease of 0': [
    "export default { id: 'mine', create() {}, minLeaseMs: 0 }",
    /`minLeaseMs` .* not a whole number/,
  ],
  'has a serial that is not true': [
    "export default { id: 'mine', create() {}, serial: false }",
    /`serial` .* not true; remove it/,
  ],
  'names an unknown broker': [
    "export default { id: 'mine', create() {}, broker: 'queue' }",
    /`broker` .* not 'partitions'; remove it/,
  ],
  'has an unknown rule for messages without a key': [
    "export default { id: 'mine', create() {}, withoutKey: 'ignores' }",
    /`withoutKey` .* neither refuses nor performs/,
  ],
  'has an unknown expectation': [
    "export default { id: 'mine', create() {}, expect: 'brokn' }",
    /neither holds nor broken/,
  ],
  'has a deploy that is not a function': [
    "export default { id: 'mine', create() {}, deploy: 'now' }",
    /`deploy` .* not a function/,
  ],
  'has a syntax error': ['export default {', /cannot be compiled: .* \(.*layer\.ts:1\)/],
  'imports a missing package': [
    "import x from 'no-such-package'\nexport default x",
    /cannot be compiled: .*no-such-package" \(.*layer\.ts:1\); install it/,
  ],
  'requires a missing package': [
    "\nexport default require('no-such-package')",
    /it needs "no-such-package" \(.*layer\.ts:2\), which is missing; install it/,
  ],
  'waits forever at its top level': [
    'await new Promise(() => {})\nexport default {}',
    /top-level `await` never settles/,
  ],
  'rejects at its top level': ["await Promise.reject(new Error('no config'))", /throws when loaded \(no config\)/],
}

describe('an adapter that', () => {
  for (const [name, [source, remedy]] of Object.entries(bad))
    it(`${name} is reported with advice`, async () => {
      const file = adapter(name.replaceAll(' ', '-'), { 'layer.ts': source })
      const error = await loadImplementation(file).catch((thrown) => thrown)
      expect(error).toBeInstanceOf(LoadError)
      expect(error.culprit).toBe(file)
      expect(error.remedy).toMatch(remedy)
      expect(error.message).not.toContain('\n')
    })

  it('does not exist is reported with advice', async () => {
    const file = path.join(lab.folder, 'nowhere.ts')
    await expect(loadImplementation(file)).rejects.toThrow(`${file}: no such file`)
  })

  it('is sound is loaded', async () => {
    const { implementation } = await loadImplementation(adapter('sound', { 'layer.ts': giving('{}') }))
    expect(implementation.id).toBe('layer')
  })
})
