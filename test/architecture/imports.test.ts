import { describe, expect, it } from 'vitest'
import {
  absentFrom,
  deadFiles,
  deepImports,
  folderCycles,
  forbiddenArrows,
  harnessImports,
  importCycles,
  realTimeAndChance,
} from './find-faults.ts'
import { mayUseTime, roomOf, rules } from './rules.ts'
import { readTree } from './source-tree.ts'

const tree = readTree(['src', 'packages', 'bin', 'bench', 'tools', 'implementations', 'scenarios'])

/** A tree with only these files. */
const planted = (files: Record<string, string>) => new Map(Object.entries(files))

describe('the project', () => {
  it('imports in one direction only', () => {
    expect(forbiddenArrows(tree)).toEqual([])
  })

  it('uses the time and randomness of the machine only in allowed files', () => {
    expect(realTimeAndChance(tree)).toEqual([])
  })

  it('imports packages of the workspace only by name', () => {
    expect(deepImports(new Map([...tree, ...readTree(['test'])]))).toEqual([])
    const deep = planted({ 'test/x.ts': "import '../packages/redis-sim/src/server.ts'" })
    expect(deepImports(deep)).toEqual(['test/x.ts:1 imports packages/redis-sim/src/server.ts: import redis-sim'])
    const inside = planted({ 'packages/redis-sim/test/x.ts': "import '../src/server.ts'" })
    expect(deepImports(inside)).toEqual([])
  })

  it('keeps the harness out of packages', () => {
    expect(harnessImports(tree)).toEqual([])
    const planned = planted({ 'packages/redis-sim/test/x.ts': "import '../../../src/run/ports.ts'" })
    expect(harnessImports(planned)).toEqual(['packages/redis-sim/test/x.ts:1 imports src/run/ports.ts'])
  })

  it('has no import cycle', () => {
    expect(importCycles(tree)).toEqual([])
  })

  it('has no cycle of folders in src/campaign', () => {
    expect(folderCycles(tree, 'src/campaign')).toEqual([])
    const circle = planted({
      'src/campaign/play/x.ts': "import type { A } from '../explain/y.ts'",
      'src/campaign/explain/y.ts': "import { b } from '../play/z.ts'",
      'src/campaign/play/z.ts': '',
    })
    expect(folderCycles(circle, 'src/campaign')).toEqual(['play → explain → play'])
  })

  it('has every room and uses every package of the table', () => {
    expect(absentFrom(tree, rules)).toEqual([])
  })

  it('has no dead file', () => {
    expect(deadFiles(tree)).toEqual([])
  })

  it('has a room for every file under src', () => {
    const files = [...tree.keys()].filter((file) => file.startsWith('src/'))
    expect(files.length).toBeGreaterThan(50)
    expect(files.filter((file) => roomOf(file) === null)).toEqual([])
  })
})

/** One bad import each, with the expected complaint. */
const badImports: Record<string, [file: string, source: string, complaint: string]> = {
  'a package before an example, which imports nothing': [
    'src/impl/x.ts',
    "import chalk from 'chalk'\nexport interface A {}\n/**\n * import { once } from 'onceproof/once'\n */",
    'src/impl/x.ts:1 imports chalk: src/impl may not use that package',
  ],
  'an import of the simulator by check': [
    'src/check/x.ts',
    "import { a } from '../sim/plans/workload.ts'",
    'src/check/x.ts:1 imports src/sim/plans/workload.ts: src/check may not import src/sim/plans',
  ],
  'a type import in the wrong direction': [
    'src/contract/x.ts',
    "\nimport type { World } from '../sim/world/world-state.ts'",
    'src/contract/x.ts:2 imports src/sim/world/world-state.ts: src/contract may not import src/sim/world',
  ],
  'an import over several lines': [
    'src/report/x.ts',
    "import {\n  a,\n  b,\n} from '../campaign/tally.ts'",
    'src/report/x.ts:1 imports src/campaign/tally.ts: src/report may not import src/campaign',
  ],
  'a re-export': [
    'src/sim/adapters/x.ts',
    "export * from '../world/machine.ts'",
    'src/sim/adapters/x.ts:1 imports src/sim/world/machine.ts: src/sim/adapters may not import src/sim/world',
  ],
  'a dynamic import': [
    'src/sim/adapters/x.ts',
    "const late = await import('../plans/workload.ts')",
    'src/sim/adapters/x.ts:1 imports src/sim/plans/workload.ts: src/sim/adapters may not import src/sim/plans',
  ],
  'an import of the simulator by the reference': [
    'src/impl/x.ts',
    "import '../sim/adapters/loader.ts'",
    'src/impl/x.ts:1 imports src/sim/adapters/loader.ts: src/impl may not import src/sim/adapters',
  ],
  'an import of a package by the reference': [
    'src/impl/x.ts',
    "import chalk from 'chalk'",
    'src/impl/x.ts:1 imports chalk: src/impl may not use that package',
  ],
  'an import of a part of a package': [
    'packages/redis-sim/src/x.ts',
    "import { x } from 'pure-rand/generator/mersenne'",
    'packages/redis-sim/src/x.ts:1 imports pure-rand/generator/mersenne: packages/redis-sim/src may not use that package',
  ],
  'an imported scenario': [
    'src/campaign/x.ts',
    "import story from '../../scenarios/story.ts'",
    'src/campaign/x.ts:1 imports scenarios/story.ts: scenarios is loaded by path, never imported',
  ],
  'an import of an adapter by a bench': [
    'bench/x.ts',
    "import layer from '../implementations/layer.ts'",
    'bench/x.ts:1 imports implementations/layer.ts: implementations is loaded by path, never imported',
  ],
  'an imported command': [
    'src/index.ts',
    "export { run } from './cli/run.ts'",
    'src/index.ts:1 imports src/cli/run.ts: src/cli is loaded by path, never imported',
  ],
  'a worker named by its URL': [
    'src/check/x.ts',
    "const file = new URL('../cli/worker.mjs', import.meta.url)",
    'src/check/x.ts:1 imports src/cli/worker.mjs: src/cli is loaded by path, never imported',
  ],
  'an import without an extension': [
    'src/check/x.ts',
    "import { a } from './y'",
    'src/check/x.ts:1 imports src/check/y: relative imports end in .ts',
  ],
  'a file without a room': [
    'src/helpers/x.ts',
    "import fs from 'node:fs'",
    'src/helpers/x.ts:1 imports node:fs: its own room is not in the table',
  ],
}

describe('the check of imports finds', () => {
  for (const [name, [file, source, complaint]] of Object.entries(badImports))
    it(name, () => expect(forbiddenArrows(planted({ [file]: source }))).toEqual([complaint]))

  it('nothing in allowed imports', () => {
    const files = {
      'packages/redis-sim/src/x.ts':
        "import { a } from './lua/z.ts'\nimport fs from 'node:fs'\nimport { b } from './y.ts'",
      'packages/redis-sim/src/y.ts': '',
      'packages/redis-sim/src/lua/z.ts': '',
      'bin/main.mjs': "await import('../src/cli/main.ts')",
      'bench/main.ts': "import { x } from '../src/sim/adapters/x.ts'",
    }
    expect(forbiddenArrows(planted(files))).toEqual([])
  })
})

describe('the check of time and randomness finds', () => {
  const uses = {
    'Date.now': 'const now = Date.now()',
    'new Date()': 'const now = new Date()',
    'Math.random': 'const draw = Math.random',
    setTimeout: 'globalThis.setTimeout(() => {}, 5)',
    setImmediate: 'const later: typeof setImmediate = setImmediate',
    hrtime: 'process.hrtime.bigint()',
    'performance.now': 'performance.now()',
    randomUUID: "import { randomUUID } from 'node:crypto'\nrandomUUID()",
    getRandomValues: 'crypto.getRandomValues(new Uint8Array(1))',
  }
  for (const [what, source] of Object.entries(uses))
    it(what, () => {
      for (const file of ['src/run/x.ts', 'src/check/x.ts', 'src/campaign/x.ts'])
        expect(realTimeAndChance(planted({ [file]: source }))).toEqual([`${file} uses ${what}: it must be passed in`])
    })

  it('nothing in comments and in allowed files', () => {
    const source = '// no Date.now here\n/** nor Math.random */\nexport const a = 1'
    const used = uses['Date.now']
    expect(
      realTimeAndChance(planted({ 'src/sim/world/x.ts': source, 'packages/virtual-node/src/runtime/x.ts': used })),
    ).toEqual([])
    expect(realTimeAndChance(planted({ 'src/cli/x.ts': used, 'bench/x.ts': used }))).toEqual([])
  })
})

describe('the check of dead files', () => {
  it('finds files without imports, and files that only dead files or tests import', () => {
    const files = {
      'src/index.ts': "export * from './contract/a.ts'",
      'src/contract/a.ts': "import type { B } from './b.ts'",
      'src/contract/b.ts': '',
      'src/contract/dead.ts': "import './only-the-dead.ts'",
      'src/contract/only-the-dead.ts': '',
      'src/contract/tested.ts': '',
      'test/contract/tested.test.ts': "import '../../src/contract/tested.ts'",
      'src/cli/main.ts': "const worker = new URL('worker.mjs', import.meta.url)",
      'src/cli/worker.mjs': "const { task } = await import('./task.ts')",
      'src/cli/task.ts': '',
      'scenarios/story.ts': "import { plan } from '../src/sim/plans/workload.ts'",
      'src/sim/plans/workload.ts': '',
    }
    expect(deadFiles(planted(files))).toEqual([
      'src/contract/dead.ts',
      'src/contract/only-the-dead.ts',
      'src/contract/tested.ts',
    ])
  })
})

describe('the check of import cycles', () => {
  it('finds cycles of one, two and three files', () => {
    const files = {
      'src/check/a.ts': "import { b } from './b.ts'",
      'src/check/b.ts': "export * from './a.ts'",
      'src/check/c.ts': "import './d.ts'",
      'src/check/d.ts': "import { type T, e } from './e.ts'",
      'src/check/e.ts': "import {\n  c,\n} from './c.ts'",
      'src/check/f.ts': "import { type F } from './f.ts'",
    }
    expect(importCycles(planted(files))).toEqual([
      'src/check/a.ts → src/check/b.ts → src/check/a.ts',
      'src/check/c.ts → src/check/d.ts → src/check/e.ts → src/check/c.ts',
      'src/check/f.ts → src/check/f.ts',
    ])
  })

  it('ignores types, dynamic imports, and two paths to the same file', () => {
    const files = {
      'src/check/a.ts': "import type { B } from './b.ts'\nexport type { C } from './c.ts'",
      'src/check/b.ts': "import { a } from './a.ts'\nimport { c } from './c.ts'",
      'src/check/c.ts': "import { a } from './a.ts'\nconst late = await import('./b.ts')",
    }
    expect(importCycles(planted(files))).toEqual([])
  })
})

describe('the table', () => {
  it('is checked for missing rooms, and for packages that their room does not import', () => {
    const table = {
      'src/check': { rooms: [], packages: ['fast-check', 'vitest'] },
      'src/check/a.ts': { rooms: [], packages: ['pure-rand'] },
      'src/external': { rooms: [], packages: [] },
    }
    const files = {
      'src/check/a.ts': "import { x } from 'pure-rand/generator/mersenne'",
      'src/check/b.ts': "import * as fc from 'fast-check'",
    }
    expect(absentFrom(planted(files), table)).toEqual(['src/check never imports vitest', 'there is no src/external'])
  })

  it('names only existing rooms, and gives a reason for every exception', () => {
    for (const [name, { rooms }] of Object.entries(rules))
      for (const target of rooms) expect(rules, `${name} → ${target}`).toHaveProperty([target])
    for (const reason of Object.values(mayUseTime)) expect(reason.length).toBeGreaterThan(10)
  })
})
