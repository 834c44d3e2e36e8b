/** A project around a layer: `init` without a file, `--last-failed`, `--watch`. */
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { temporaryFolder, write } from './run-cli.ts'
import { refusal } from './run-here.ts'
import { inTurn } from './run-in-turn.ts'

const patientMs = 200_000
const root = path.join(import.meta.dirname, '../..')
const read = (cwd: string, file: string): string => fs.readFileSync(path.join(cwd, file), 'utf8')

function project(): string {
  const cwd = temporaryFolder()
  fs.symlinkSync(path.join(root, 'node_modules'), path.join(cwd, 'node_modules'))
  return cwd
}

it(
  'init asks nothing, and leaves a project that runs',
  async () => {
    const cwd = project()
    write(cwd, 'package.json', '{\n    "name": "mine",\n    "scripts": { "test": "true" }\n}\n')
    write(cwd, 'pnpm-lock.yaml', '')
    const { code, stdout } = await inTurn(['init'], { cwd })
    expect({ code, lines: stdout.trim().split('\n') }).toEqual({
      code: 0,
      lines: [
        'written: my-layer.ts',
        'written: onceproof.config.ts',
        'written: package.json: the script onceproof',
        'written: .github/workflows/onceproof.yml',
        'try it: npx onceproof',
      ],
    })
    const scripts = { test: 'true', onceproof: 'onceproof' }
    expect(read(cwd, 'package.json')).toBe(`${JSON.stringify({ name: 'mine', scripts }, null, 4)}\n`)
    expect(read(cwd, '.github/workflows/onceproof.yml')).toContain(
      '- run: pnpm install --frozen-lockfile\n      - run: npx onceproof\n',
    )
    const played = await inTurn(['--scenario', 'key-reuse', '--runs', '1', '--json'], { cwd })
    expect(JSON.parse(played.stdout).pairs).toMatchObject([{ implementation: 'my-layer', runs: 1 }])
  },
  patientMs,
)

it(
  'init writes over nothing',
  async () => {
    const cwd = project()
    const kept = {
      'my-layer.ts': 'precious',
      'onceproof.config.mjs': 'precious too',
      'package.json': '{"scripts":{"onceproof":"mine"}}',
      '.github/workflows/onceproof.yml': 'mine as well',
    }
    for (const [file, text] of Object.entries(kept)) write(cwd, file, text)
    const { code, stdout } = await inTurn(['init'], { cwd })
    expect(code).toBe(0)
    expect(stdout.match(/^kept: /gm)).toHaveLength(4)
    for (const [file, text] of Object.entries(kept)) expect(read(cwd, file)).toBe(text)
    expect(fs.readdirSync(cwd).sort()).toEqual([
      '.github',
      'my-layer.ts',
      'node_modules',
      'onceproof.config.mjs',
      'package.json',
    ])
  },
  patientMs,
)

it(
  'init leaves a manifest alone that is no JSON',
  async () => {
    const cwd = project()
    write(cwd, 'package.json', '{,}')
    const { code, stderr } = await refusal(['init'], cwd)
    expect({ code, stderr }).toEqual({ code: 2, stderr: 'onceproof: package.json: it is no JSON; mend it first\n' })
    expect(read(cwd, 'package.json')).toBe('{,}')
  },
  patientMs,
)

const layer = (guards: boolean) => `import { seen } from './seen.js'
export default {
  id: 'mine',
  create: ({ sink }) => ({ handle: async ({ key, payload }) => {
    if (${guards} && seen.has(key)) return { status: 'retry' }
    seen.add(key)
    return { status: 'done', result: await sink.perform({ key, payload }) }
  } }),
}`
const seen = 'export const seen = new Set()'
const two = [
  '--impl',
  './mine.js',
  '--scenario',
  'only-consumer-clocks',
  '--scenario',
  'competing-consumers',
  '--runs',
  '2',
]
const pairsOf = (stdout: string) => JSON.parse(stdout).pairs.map(({ scenario }: { scenario: string }) => scenario)

it(
  '--last-failed plays what had no pass, and all where nothing is known or failed',
  async () => {
    const cwd = project()
    write(cwd, 'mine.js', layer(false))
    write(cwd, 'seen.js', seen)
    const again = [...two, '--workers', '1', '--json', '--no-html', '--last-failed']
    const first = await inTurn(again, { cwd })
    expect(first.stderr).toContain('there is no last report: every pair is played')
    expect(pairsOf(first.stdout)).toEqual(['competing-consumers', 'only-consumer-clocks'])
    const report = path.join(cwd, 'reports/latest/results.json')
    const results = JSON.parse(fs.readFileSync(report, 'utf8'))
    const keep = (verdicts: readonly string[]) => {
      const pairs = results.pairs.map((pair: object, at: number) => ({ ...pair, verdict: verdicts[at] }))
      fs.writeFileSync(report, JSON.stringify({ ...results, pairs }))
    }
    keep(['pass', 'unknown'])
    expect(pairsOf((await inTurn(again, { cwd })).stdout)).toEqual(['only-consumer-clocks'])
    keep(['pass', 'pass'])
    const none = await inTurn(again, { cwd })
    expect(none.stderr).toContain('none of these failed in the last report: every pair is played')
    expect(pairsOf(none.stdout)).toHaveLength(2)
    fs.writeFileSync(report, '{"pairs": 1}')
    const damaged = await inTurn(again, { cwd })
    expect(damaged).toMatchObject({ code: 2 })
    expect(JSON.parse(damaged.stdout).error.remedy).toBe('these are no results of a campaign; leave --last-failed out')
  },
  patientMs,
)

it(
  '--watch plays again when a file that the layer imports changes, and ends with Ctrl-C as a campaign does',
  async () => {
    const cwd = project()
    write(cwd, 'mine.js', layer(false))
    write(cwd, 'seen.js', seen)
    const child = spawn(process.execPath, [path.join(root, 'bin/onceproof.mjs'), ...two, '--workers', '1', '--watch'], {
      cwd,
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    let said = ''
    const heard = (text: string, times: number) =>
      new Promise<void>((resolve) => {
        const look = () => said.split(text).length > times && resolve()
        child.stdout.on('data', look)
        look()
      })
    child.stdout.on('data', (chunk) => (said += chunk))
    const ended = new Promise((resolve) => child.on('close', resolve))
    await heard('Ctrl-C ends it', 1)
    expect(said.match(/^2 pairs: /gm)).toHaveLength(1)
    fs.writeFileSync(path.join(cwd, 'seen.js'), `${seen} // the same`)
    await heard('Ctrl-C ends it', 2)
    // Of two that were played, those that failed; while they fail, nothing else.
    expect(said.match(/^\d pairs?: /gm)!.length).toBe(2)
    child.kill('SIGINT')
    expect(await ended).toBe(130)
    expect(said.match(/^\d pairs?: /gm)!.length).toBe(2)
  },
  patientMs,
)

it.each(['--json', '--shard=1/2'])('--watch and %s do not go together', async (option) => {
  const { code, stdout, stderr } = await inTurn(['--watch', option], { cwd: project() })
  expect(code).toBe(2)
  expect(stdout + stderr).toContain(`--watch and ${option.replace(/=.*/, '')}`)
})
