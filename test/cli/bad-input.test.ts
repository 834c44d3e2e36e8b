import { describe, expect, it } from 'vitest'
import { type CliResult, onceproof, temporaryFolder, write } from './run-cli.ts'
import { refusal } from './run-here.ts'
import { inTurn } from './run-in-turn.ts'

const adapters = {
  'throws.ts': `throw new Error('no config')\n`,
  'empty.ts': 'export const nothing = 1\n',
  'no-create.ts': `export default { id: 'x' }\n`,
  'half.ts': `export default { id: 'x', create() { return {\n`,
  'never.ts': `export default { id: 'never', create: () => new Promise(() => {}) }\n`,
}

function folderOfAdapters(): string {
  const folder = temporaryFolder()
  for (const [name, text] of Object.entries(adapters)) write(folder, name, text)
  return folder
}

/** One line on standard error: culprit, then what to do. */
function expectOneLine({ code, stderr }: CliResult, line: RegExp): void {
  expect(stderr).toMatch(line)
  expect(stderr.trimEnd().split('\n')).toHaveLength(1)
  expect(code).toBe(2)
}

describe('a mistake of the user is one line that names the culprit and the remedy, and exit code 2', () => {
  const cases: readonly [string, readonly string[], RegExp][] = [
    ['command', ['replya', 'op2_x'], /^onceproof: command replya: did you mean replay\?$/m],
    ['scenario', ['--scenario', 'lost-replay'], /^onceproof: scenario lost-replay: .*did you mean lost-reply\?$/m],
    ['implementation', ['--impl', 'referense'], /^onceproof: implementation referense: .*did you mean reference\?$/m],
    ['glob that matches nothing', ['--impl', 'zzz*'], /^onceproof: implementation zzz\*: nothing matches; /m],
    ['path', ['--impl', './gone.ts'], /^onceproof: \.\/gone\.ts: there is no such file; /m],
    ['seed', ['--seed', '1.5'], /^onceproof: --seed 1\.5: give an integer from 0 /m],
    ['number of runs', ['--runs', '0'], /^onceproof: --runs 0: give an integer from 1 /m],
    ['time', ['--time', '30'], /^onceproof: --time 30: give a time such as 30s/m],
    ['both bounds', ['--time', '1s', '--runs', '9'], /^onceproof: --runs and --time: give one of them$/m],
    ['reports folder', ['--reports', '/dev/null'], /^onceproof: --reports \/dev\/null: nothing can be written there /m],
    ['sink', ['--sink', 'fences'], /^onceproof: --sink fences: did you mean fenced\?$/m],
    ['token', ['replay', 'op2_abcdef'], /^onceproof: op2_abcdef: it is cut short or altered; copy the whole token/m],
    [
      'no token',
      ['replay'],
      /^onceproof: replay: give a token or a file, or all of --seed, --run, --impl and --scenario$/m,
    ],
    ['corpus command', ['corpus', 'rm'], /^onceproof: corpus: say what to do: /m],
  ]
  it.each(cases)('%s', async (_, args, line) => expectOneLine(await refusal(args), line))

  it('option, in a process that ends with that exit code', async () =>
    expectOneLine(await onceproof(['--sede', '3']), /^onceproof: option --sede: did you mean --seed\?$/m))

  const bad: readonly [string, RegExp][] = [
    ['throws.ts', /^onceproof: throws\.ts: it throws while it is loaded \(no config\); /m],
    ['empty.ts', /^onceproof: empty\.ts: it has no default export made by defineImplementation/m],
    ['no-create.ts', /^onceproof: no-create\.ts: the implementation x has no `create` /m],
    ['half.ts', /^onceproof: half\.ts: it cannot be compiled: .*half\.ts/m],
    ['never.ts', /^onceproof: never\.ts: `create` never settles; /m],
  ]
  it.concurrent.each(bad)('the adapter %s', async (file, line) => {
    const args = ['--impl', `./${file}`, '--scenario', 'competing-consumers', '--runs', '5', '--workers', '1']
    expectOneLine(await inTurn(args, { cwd: folderOfAdapters() }), line)
  })

  it('a scenario that lacks its plans', async () => {
    const cwd = temporaryFolder()
    const missing = `{ id: 's', story: '', assumptions: [], invariants: [], goals: [], recoveryCapMs: 1 }`
    write(cwd, 'package.json', '{ "type": "module" }')
    write(cwd, 's.ts', `export default ${missing}\n`)
    expectOneLine(await refusal(['--scenario', './s.ts'], cwd), /^onceproof: s\.ts: .* no `plans` /m)
  })

  it('a scenario that would judge nothing, or waits for a time that is none', async () => {
    const cwd = temporaryFolder()
    const texts = `id: 's', story: '', assumptions: [], goals: [], shape: 'single', plans: { generate() {} }`
    write(cwd, 'nothing.mjs', `export default { ${texts}, invariants: [], recoveryCapMs: 1 }\n`)
    write(cwd, 'never.mjs', `export default { ${texts}, invariants: ['at-most-once'], recoveryCapMs: NaN }\n`)
    const nothing = await refusal(['--scenario', './nothing.mjs'], cwd)
    expectOneLine(nothing, /^onceproof: nothing\.mjs: its `invariants` are none, /m)
    expectOneLine(await refusal(['--scenario', './never.mjs'], cwd), /^onceproof: never\.mjs: .*`recoveryCapMs`/m)
  })

  it('a plan file that was cut in half', async () => {
    const cwd = temporaryFolder()
    write(cwd, 'run.json', '{"stepCount":71,"choiceSeed":12,"digest":"dead')
    expectOneLine(await refusal(['replay', 'run.json'], cwd), /^onceproof: run\.json: it is cut short or altered; /m)
  })
})

describe('under --json', () => {
  it.concurrent.each([
    ['an unknown option', ['--json', '--sede', '3'], 'option --sede'],
    ['an unknown scenario', ['--json', '--scenario', 'nope'], 'scenario nope'],
    ['a broken token', ['replay', '--json', 'op2_x'], 'op2_x'],
  ])('%s is the only document on standard output', async (_, args, culprit) => {
    const { code, stdout } = await onceproof(args)
    expect(JSON.parse(stdout)).toEqual({ schemaVersion: 1, error: { culprit, remedy: expect.any(String) } })
    expect(code).toBe(2)
  })
})
