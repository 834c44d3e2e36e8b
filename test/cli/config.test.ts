/** `onceproof.config`: what it decides, what wins over it, and what is said of one that cannot be used. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { type CliResult, onceproof, temporaryFolder, write } from './run-cli.ts'
import { refusal } from './run-here.ts'
import { inTurn } from './run-in-turn.ts'

const patientMs = 200_000

/** A project with a config, and in it layers of the catalogue and one of its own. */
function project(config: string, name = 'onceproof.config.ts'): string {
  const cwd = temporaryFolder()
  write(cwd, name, `import { defineConfig } from 'onceproof'\n${config}\n`)
  write(
    cwd,
    'mine.ts',
    `export default {
    id: 'mine',
    sinks: ['plain', 'keyed'],
    create: ({ sink }) => ({ handle: async ({ key, payload }) => ({ status: 'done', result: await sink.perform({ key, payload }) }) }),
  }`,
  )
  return cwd
}

const played = ({ stdout }: CliResult) => {
  const { seed, pairs } = JSON.parse(stdout)
  return {
    seed,
    pairs: pairs.map(
      (pair: Record<string, string>) => `${pair.implementation} ${pair.scenario} ${pair.sink} ${pair.runs}`,
    ),
  }
}

describe('a config', () => {
  const whole = `export default defineConfig({
    implementations: ['./mine.ts'], scenarios: ['competing-consumers'], runs: 2, seed: 7, reports: 'told', sinks: ['keyed', 'fenced', 'plain'],
  })`

  it(
    'says what is played, on each sink that the layer can use, and where the report goes',
    async () => {
      const cwd = project(whole)
      const result = await inTurn(['--json', '--workers', '1', '--no-html'], { cwd })
      const pairs = ['mine competing-consumers plain 2', 'mine competing-consumers keyed 2']
      expect(played(result)).toEqual({ seed: 7, pairs })
      expect(JSON.parse(result.stdout)).toEqual(JSON.parse(read(cwd, 'told/latest/results.json')))
    },
    patientMs,
  )

  it(
    'gives way to the command line, member by member, and whole to --no-config',
    async () => {
      const cwd = project(whole)
      const json = ['--json', '--workers', '1', '--no-html']
      const some = await inTurn([...json, '--sink', 'keyed', '--runs', '1', '--seed', '1', '--reports', 'r'], {
        cwd,
      })
      expect(played(some)).toEqual({ seed: 1, pairs: ['mine competing-consumers keyed 1'] })
      const none = await inTurn([...json, '--no-config', '--runs', '1', '--scenario', 'key-reuse'], { cwd })
      expect(played(none)).toEqual({ seed: 1, pairs: ['reference key-reuse plain 1'] })
    },
    patientMs,
  )

  it(
    'bounds no campaign that the command line gives a time',
    async () => {
      const { stdout } = await inTurn(['--json', '--time', '300ms', '--workers', '1', '--no-html'], {
        cwd: project(whole),
      })
      expect(JSON.parse(stdout)).toMatchObject({ bounded: 'time' })
    },
    patientMs,
  )
})

const bad: readonly [string, RegExp][] = [
  ['export default 1', /^onceproof\.config\.ts: it has no default export; export default defineConfig/],
  ['export const a = 1', /^onceproof\.config\.ts: it has no default export/],
  ["throw new Error('no env')", /^onceproof\.config\.ts: it throws while it is loaded \(no env\); make it load/],
  ["import './nowhere.ts'", /^onceproof\.config\.ts: it cannot be compiled: Could not resolve/],
  ['export default { implementation: [] }', /it has a member implementation; did you mean implementations\?$/],
  [
    'export default { colour: 1 }',
    /it has a member colour; there are implementations, scenarios, runs, seed, reports, sinks$/,
  ],
  ["export default { implementations: './a.ts' }", /its `implementations` is no list of ids, paths or globs, or of /],
  ['export default { implementations: [] }', /its `implementations` is no list of ids, paths or globs, or of /],
  ['export default { implementations: [5] }', /its `implementations` has 5; name a layer by its id or its path$/],
  ["export default { implementations: [''] }", /its `implementations` has ""; name a layer by its id or its path$/],
  [
    "export default { implementations: [{ implementation: './a.ts', withNexd: './b.ts' }] }",
    /its `implementations` has one with a member withNexd; did you mean withNext\?$/,
  ],
  [
    "export default { implementations: [{ from: './a.ts', next: './b.ts' }] }",
    /has one with a member from; there are implementation and withNext$/,
  ],
  [
    "export default { implementations: ['reference', { implementation: './mine.ts' }] }",
    /its `implementations` has one whose `withNext` is no id or path$/,
  ],
  [
    "export default { implementations: [{ implementation: './mine.ts', withNext: ['./b.ts'] }] }",
    /its `implementations` has one whose `withNext` is no id or path$/,
  ],
  [
    "export default { implementations: [{ withNext: './mine.ts' }] }",
    /its `implementations` has one whose `implementation` is no id or path$/,
  ],
  [
    "export default { implementations: [{ implementation: './mine.ts', withNext: './gone.ts' }] }",
    /^\.\/gone\.ts: there is no such file/,
  ],
  [
    "export default { implementations: [{ implementation: './mine.ts', withNext: 'reference*' }] }",
    /^--with-next reference\*: several match; name one$/,
  ],
  [
    "export default { implementations: [{ implementation: 'reference', withNext: './mine.ts' }], sinks: ['fenced'] }",
    /^--sink fenced: \.\/mine\.ts says that it can use plain and keyed only$/,
  ],
  ['export default { scenarios: [] }', /its `scenarios` is no list/],
  ['export default { runs: 0 }', /its `runs` is 0; give an integer from 1 to/],
  ['export default { runs: 5n }', /its `runs` is 5n; give an integer from 1 to/],
  ["export default { runs: '5' }", /its `runs` is "5"; give an integer from 1 to/],
  ["export default { seed: 'random' }", /its `seed` is "random"; give an integer from 0 to 4294967295$/],
  ["export default { reports: '' }", /its `reports` is no folder$/],
  [
    "export default { sinks: ['kitchen'] }",
    /its `sinks` is no list of plain, keyed, fenced, cancellable, transactional$/,
  ],
  ["export default { implementations: ['./gone.ts'] }", /^\.\/gone\.ts: there is no such file/],
  [
    "export default { implementations: ['./mine.ts'], sinks: ['fenced'] }",
    /^--sink fenced: \.\/mine\.ts says that it can use plain and keyed only$/,
  ],
]
it.each(bad)(
  '%s: one line, and exit 2',
  async (text, line) => {
    const { code, stderr } = await refusal(['--workers', '1'], project(text))
    const said = stderr.split('\n').filter((one) => one.startsWith('onceproof: '))
    expect(said.map((one) => one.replace('onceproof: ', ''))).toEqual([expect.stringMatching(line)])
    expect(code).toBe(2)
  },
  patientMs,
)

it(
  'that cannot be compiled: as well, and the line of the config',
  async () => {
    // The compiler tells a path from where its process was started.
    const { code, stderr } = await onceproof(['--workers', '1'], { cwd: project('export default {{') })
    expect(stderr).toMatch(/^onceproof: onceproof\.config\.ts: it cannot be compiled: .* \(onceproof\.config\.ts:2\)$/m)
    expect(code).toBe(2)
  },
  patientMs,
)

it(
  'two configs are one too many',
  async () => {
    const cwd = project('export default {}')
    write(cwd, 'onceproof.config.mjs', 'export default {}')
    const { code, stderr } = await refusal([], cwd)
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('there is one config; remove the others'),
    })
  },
  patientMs,
)

const read = (cwd: string, file: string): string => fs.readFileSync(path.join(cwd, file), 'utf8')
