/** Unusable layers, scenarios and configs: exit code 2, and one line with advice. */
import { describe, it } from 'vitest'
import { expectRefusal } from './refusal.ts'
import { temporaryFolder, write } from './run-cli.ts'

const quick = ['--scenario', 'lost-reply', '--runs', '5', '--workers', '1', '--no-html']

describe('a layer', () => {
  const layers: readonly [string, string, RegExp][] = [
    ['throws.ts', `throw new Error('no config')`, /^throws\.ts: throws when loaded \(no config\); /],
    ['empty.ts', 'export const nothing = 1', /^empty\.ts: no default export made by defineImplementation/],
    ['no-create.ts', `export default { id: 'x' }`, /^no-create\.ts: the implementation x has no `create` /],
    ['layer.py', 'import redis', /^\.\/layer\.py: .* program; use 'exec:python3 \.\/layer\.py'$/],
    ['half.ts', `export default { id: 'x', create() { return {`, /^half\.ts: it cannot be compiled: .*half\.ts/],
    [
      'never.ts',
      `export default { id: 'never', create: () => new Promise(() => {}) }`,
      /^never\.ts: `create` never settles; /,
    ],
    [
      'passed.ts',
      `export default {\n  id: 'passed',\n  async create() {\n    setInterval(() => {}, 1000)\n    await new Promise(() => {})\n  },\n}`,
      /^passed\.ts: `create` never settles; /,
    ],
    [
      'early.ts',
      `export default {\n  id: 'early',\n  create() {\n    let client\n    return { handle: async ({ key }) => client.get(key) }\n  },\n}`,
      /^early\.ts: every delivery fails without a fault: TypeError: .*undefined.* at .*handle \(early\.ts:5\)$/,
    ],
    [
      'config.ts',
      `export default {\n  id: 'config',\n  create() {\n    throw new Error('no config')\n  },\n}`,
      /^config\.ts: `create` fails \(Error: no config at .*create \(config\.ts:4\)\); it must resolve to \{ handle \}$/,
    ],
    [
      'typo.ts',
      `export default {\n  id: 'typo',\n  create: ({ sink }) => ({\n    handle: async (message) => sink.preform(message),\n  }),\n}`,
      /^typo\.ts: every delivery fails without a fault: TypeError: sink\.preform is not a function at .*handle \(typo\.ts:4\)$/,
    ],
  ]
  it.each(layers)('is refused: %s', async (name, text, line) => {
    const cwd = temporaryFolder()
    write(cwd, name, `${text}\n`)
    await expectRefusal(['--impl', `./${name}`, ...quick], 2, line, cwd)
  })
})

describe('a scenario', () => {
  const texts = `id: 's', story: '', assumptions: [], goals: [], shape: 'single'`
  const judged = `invariants: ['at-most-once']`
  const scenarios: readonly [string, string, RegExp][] = [
    [
      'required.js',
      `const fc = require('fast-check')`,
      /^required\.js: .*`require\("fast-check"\)`: a scenario is an ES module; import it/,
    ],
    ['half.ts', 'export default {', /^half\.ts: it cannot be compiled: .* \(half\.ts:2\)$/],
    ['gone.ts', `import './nowhere.ts'`, /^gone\.ts: .*Could not resolve "\.\/nowhere\.ts" \(gone\.ts:1\)$/],
    [
      'missing.ts',
      `import 'nowhere'`,
      /^missing\.ts: .*Could not resolve "nowhere" \(missing\.ts:1\); install it next to that file$/,
    ],
    ['throws.ts', `throw new Error('no config')`, /^throws\.ts: throws when loaded \(no config\); /],
    ['no-plans.ts', `export default { ${texts}, ${judged}, recoveryCapMs: 1 }`, /^no-plans\.ts: .* no `plans` /],
    [
      'nothing.mjs',
      `export default { ${texts}, invariants: [], recoveryCapMs: 1, plans: { generate() {} } }`,
      /^nothing\.mjs: its `invariants` are empty; /,
    ],
    [
      'never.mjs',
      `export default { ${texts}, ${judged}, recoveryCapMs: NaN, plans: { generate() {} } }`,
      /^never\.mjs: .*`recoveryCapMs`/,
    ],
  ]
  it.each(scenarios)('is refused: %s', async (name, text, line) => {
    const cwd = temporaryFolder()
    write(cwd, name, `${text}\n`)
    await expectRefusal(['--scenario', `./${name}`, '--workers', '1'], 2, line, cwd)
  })
})

describe('a config', () => {
  const layer = `export default { id: 'mine', sinks: ['plain', 'keyed'], create: () => ({}) }`

  const configs: readonly [string, RegExp][] = [
    ['export default 1', /^onceproof\.config\.ts: no default export; export default defineConfig/],
    ['export const a = 1', /^onceproof\.config\.ts: no default export/],
    ["throw new Error('no env')", /^onceproof\.config\.ts: throws when loaded \(no env\); make it load/],
    ["import './nowhere.ts'", /^onceproof\.config\.ts: it cannot be compiled: Could not resolve/],
    ['export default { implementation: [] }', /unknown member implementation; did you mean implementations\?$/],
    [
      'export default { colour: 1 }',
      /unknown member colour; known: implementations, scenarios, runs, seed, reports, sinks, accepts$/,
    ],
    ["export default { accepts: ['sink-forgets'] }", /its `accepts` has sink-forgets instead of \{ what, because/],
    ["export default { accepts: [{ what: 'bad-luck', because: 'x' }] }", /an unknown risk, bad-luck; known: /],
    ["export default { accepts: [{ what: 'sink-forgets', because: '' }] }", /without a reason in `because`$/],
    [
      "export default { implementations: './a.ts' }",
      /its `implementations` is not a list of ids, paths or globs, or of /,
    ],
    ['export default { implementations: [] }', /its `implementations` is not a list of ids, paths or globs, or of /],
    ['export default { implementations: [5] }', /its `implementations` has 5; name a layer by its id or path$/],
    ["export default { implementations: [''] }", /its `implementations` has ""; name a layer by its id or path$/],
    [
      "export default { implementations: [{ implementation: './a.ts', withNexd: './b.ts' }] }",
      /its `implementations` has an unknown member withNexd; did you mean withNext\?$/,
    ],
    [
      "export default { implementations: [{ from: './a.ts', next: './b.ts' }] }",
      /has an unknown member from; known: implementation and withNext$/,
    ],
    [
      "export default { implementations: ['reference', { implementation: './mine.ts' }] }",
      /its `implementations` has a `withNext` that is not an id or path$/,
    ],
    [
      "export default { implementations: [{ implementation: './mine.ts', withNext: ['./b.ts'] }] }",
      /its `implementations` has a `withNext` that is not an id or path$/,
    ],
    [
      "export default { implementations: [{ withNext: './mine.ts' }] }",
      /its `implementations` has a `implementation` that is not an id or path$/,
    ],
    [
      "export default { implementations: [{ implementation: './mine.ts', withNext: './gone.ts' }] }",
      /^\.\/gone\.ts: no such file/,
    ],
    [
      "export default { implementations: [{ implementation: './mine.ts', withNext: 'reference*' }] }",
      /^--with-next reference\*: matches several; name one$/,
    ],
    [
      "export default { implementations: [{ implementation: 'reference', withNext: './mine.ts' }], sinks: ['fenced'] }",
      /^--sink fenced: \.\/mine\.ts supports plain and keyed sinks only$/,
    ],
    ['export default { scenarios: [] }', /its `scenarios` is not a list/],
    ['export default { runs: 0 }', /its `runs` is 0; give an integer from 1 to/],
    ['export default { runs: 5n }', /its `runs` is 5n; give an integer from 1 to/],
    ["export default { runs: '5' }", /its `runs` is "5"; give an integer from 1 to/],
    ["export default { seed: 'random' }", /its `seed` is "random"; give an integer from 0 to 4294967295$/],
    ["export default { reports: '' }", /its `reports` is not the path of a folder$/],
    [
      "export default { sinks: ['kitchen'] }",
      /its `sinks` is not a list of plain, keyed, fenced, cancellable, transactional$/,
    ],
    ["export default { implementations: ['./gone.ts'] }", /^\.\/gone\.ts: no such file/],
    [
      "export default { implementations: ['./mine.ts'], sinks: ['fenced'] }",
      /^--sink fenced: \.\/mine\.ts supports plain and keyed sinks only$/,
    ],
    ['export default {{', /^onceproof\.config\.ts: it cannot be compiled: .* \(onceproof\.config\.ts:2\)$/],
  ]
  it.each(configs)('is refused: %s', async (text, line) => {
    const cwd = temporaryFolder()
    write(cwd, 'onceproof.config.ts', `// A config.\n${text}\n`)
    write(cwd, 'mine.ts', layer)
    await expectRefusal(quick, 2, line, cwd)
  })

  it('is refused if there are two of them', async () => {
    const cwd = temporaryFolder()
    for (const ending of ['ts', 'mjs']) write(cwd, `onceproof.config.${ending}`, 'export default {}')
    await expectRefusal([], 2, /several configs; keep one$/, cwd)
  })
})
