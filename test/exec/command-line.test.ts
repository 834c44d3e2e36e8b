import { execFileSync, spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { programWords } from '../../src/contract/program-name.ts'
import { findFile, refTo } from '../../src/fleet/file-ref.ts'
import { refusal } from '../cli/run-here.ts'
import { lateTierUp } from '../tier-up.ts'
import { programOf, python, withoutPython } from './programs.ts'

const bin = fileURLToPath(new URL('../../bin/onceproof.mjs', import.meta.url))
const reports = fs.mkdtempSync(path.join(os.tmpdir(), 'onceproof-exec-reports-'))
process.once('exit', () => fs.rmSync(reports, { recursive: true, force: true }))

const exec = new URL('../../implementations/exec/', import.meta.url)
/** A copy under a name of its own, so that its processes can be told from those of other tests. */
const copyOf = (name: string, more = '') =>
  programOf(fs.readFileSync(new URL(name, exec), 'utf8') + more, `lock-${process.pid}.py`)
const layer = python === null ? '' : copyOf('set_nx_lock.py')

const cli = (...args: string[]) => cliWith({}, ...args)

function cliWith(more: Record<string, string>, ...args: string[]) {
  const env = { ...process.env, ...more }
  const options = { cwd: path.dirname(path.dirname(bin)), encoding: 'utf8', timeout: 240_000, env } as const
  const { status, stdout, stderr } = spawnSync(process.execPath, [...lateTierUp, bin, ...args], options)
  return { status, stdout, problem: stderr.split('\n').find((line) => line.startsWith('onceproof: ')) ?? '' }
}

function left(): string[] {
  const all = execFileSync('ps', ['-eo', 'pid,args'], { encoding: 'utf8' }).split('\n')
  return all.filter(
    (line) => line.includes(`lock-${process.pid}.py`) && line.includes('python') && !line.includes('onceproof.mjs'),
  )
}

const runs = ['--impl', layer, '--scenario', 'competing-consumers', '--runs', '3', '--reports', reports, '--no-html']

describe.skipIf(python === null)(`a program on the command line (${withoutPython})`, () => {
  it('is played by two workers as by one', () => {
    const held = [
      '--impl',
      copyOf('lock_before_keyed_sink.py'),
      '--sink',
      'keyed',
      '--scenario',
      'lost-reply',
      '--runs',
      '21',
    ]
    const temporary = path.join(reports, 'tmp')
    fs.mkdirSync(temporary)
    const [one, two] = ['1', '2'].map((workers) => {
      const { stdout } = cliWith(
        { TMPDIR: temporary },
        'run',
        ...held,
        '--reports',
        reports,
        '--no-html',
        '--json',
        '--workers',
        workers,
      )
      return JSON.parse(stdout).pairs
    })
    expect(one[0]).toMatchObject({ implementation: 'python-lock-before-keyed-sink', runs: 21, violations: [] })
    expect(two).toEqual(one)
    expect(fs.readdirSync(temporary)).toEqual([])
  }, 240_000)

  it('whose copies have no place to report is told where to make one', () => {
    const long = path.join(reports, 'x'.repeat(100))
    fs.mkdirSync(long)
    const { status, problem } = cliWith({ TMPDIR: long }, 'run', ...runs, '--workers', '1')
    expect(status).toBe(2)
    expect(problem).toMatch(
      /its copies cannot report at .*, which is too long for a socket; set TMPDIR to a shorter path$/,
    )
    expect(left()).toEqual([])
  }, 240_000)

  it('is shrunk, and a token replays it where the same program is named', async () => {
    const { status, stdout } = cli('run', ...runs, '--bail', '--workers', '1', '--json')
    expect(status).toBe(1)
    await until(() => left().length === 0)
    const [{ token, replay, sentence, shrunk }] = JSON.parse(stdout).findings
    expect({ sentence, shrunk }).toEqual({
      sentence: expect.stringMatching(/applied by .* and again by /),
      shrunk: true,
    })
    expect(replay).toContain(`--impl '${layer}'`)

    const unnamed = await refusal(['replay', token])
    expect(unnamed.code).toBe(2)
    expect(unnamed.stderr).toContain('the run is of a program, which is started only if you name it')
    const other = await refusal(['replay', token, '--impl', `${layer} --other`])
    expect(other.code).toBe(2)
    expect(left()).toEqual([])
    const named = cli('replay', token, '--impl', layer, '--json')
    expect(named.status).toBe(1)
    expect(JSON.parse(named.stdout).followed).toMatchObject({ leftAt: null })
    // A system ends a process some time after SIGKILL was sent.
    await until(() => left().length === 0)
  }, 500_000)

  it('is upgraded to another program, and a token names both', async () => {
    const next = copyOf('set_nx_lock.py', '# next')
    const { status, stdout } = cli('run', ...runs, '--with-next', next, '--bail', '--workers', '1', '--json')
    expect(status).toBe(1)
    const [{ token, replay }] = JSON.parse(stdout).findings
    expect(replay).toContain(`--impl '${layer}' --with-next '${next}'`)
    const half = await refusal(['replay', token, '--impl', layer])
    expect(half.stderr).toContain('which is started only if you name it: --with-next')
    const named = cli('replay', token, '--impl', layer, '--with-next', next, '--json')
    expect(JSON.parse(named.stdout).followed).toMatchObject({ leftAt: null })
    // It has started the program by then, which stays for as long as its process.
    const mixed = cli('run', ...runs, '--with-next', '001-get-set', '--workers', '1')
    expect(mixed).toMatchObject({
      status: 2,
      problem: expect.stringContaining('one is a program and the other is none'),
    })
  }, 500_000)

  it.each(['SIGINT', 'SIGHUP'] as const)(
    'leaves no process behind when it is interrupted at once: %s',
    async (signal) => {
      const running = spawn(
        process.execPath,
        [...lateTierUp, bin, 'run', ...runs, '--runs', '100000', '--workers', '2'],
        {
          stdio: 'ignore',
        },
      )
      onTestFinished(() => void running.kill('SIGKILL'))
      await until(() => left().length >= 2)
      running.kill(signal)
      await new Promise((resolve) => setTimeout(resolve, 500))
      running.kill(signal)
      await new Promise((resolve) => running.once('exit', resolve))
      expect(running.exitCode).toBe(130)
      await until(() => left().length === 0)
    },
    60_000,
  )

  it('is watched by the scripts that its words name', async () => {
    // A layer that holds, so that nothing is searched for.
    const watched = copyOf('lock_before_keyed_sink.py')
    const held = ['--impl', watched, '--sink', 'keyed', '--scenario', 'lost-reply', '--runs', '1', '--reports', reports]
    const running = spawn(process.execPath, [
      ...lateTierUp,
      bin,
      'run',
      ...held,
      '--no-html',
      '--workers',
      '1',
      '--watch',
    ])
    onTestFinished(() => void running.kill('SIGKILL'))
    let said = ''
    const heard = (times: number) =>
      new Promise<void>((resolve) =>
        running.stdout.on('data', () => said.split('Ctrl-C ends it').length > times && resolve()),
      )
    running.stdout.on('data', (chunk) => (said += chunk))
    await heard(1)
    fs.appendFileSync(watched.split(' ')[1]!, '# edited\n')
    await heard(2)
    running.kill('SIGINT')
    await new Promise((resolve) => running.once('exit', resolve))
    expect(said.match(/^1 pair: /gm)!.length).toBeGreaterThan(1)
  }, 240_000)

  it('is refused by what it is not for, by name', async () => {
    const live = await refusal(['live', '--impl', layer, '--scenario', 'competing-consumers', '--with', 'local'])
    expect(live.code).toBe(2)
    expect(live.stderr).toMatch(/a program is run in the simulator only/)
    const shard = await refusal(['run', ...runs, '--shard', '1/2'])
    expect(shard.code).toBe(2)
    expect(shard.stderr).toMatch(/a program is played on one machine; leave --shard out/)
    const places = { package: '/p', folder: '/f' }
    await expect(refTo(layer, places)).rejects.toThrow(/programs are not started on other machines/)
    expect(await findFile({ at: 'name', path: 'exec:/bin/true' }, places)).toMatchObject({ ok: false })
  }, 60_000)
})

it('reads the words of a program without a shell', () => {
  expect(programWords('exec:python3 layer.py')).toEqual(['python3', 'layer.py'])
  expect(programWords(`exec: './my layer' --say "a  b"'c' $HOME;`)).toEqual(['./my layer', '--say', 'a  bc', '$HOME;'])
  expect(programWords('exec:')).toBeNull()
  expect(programWords(`exec:a "b`)).toBeNull()
})

/** For as long as a test may take: how soon a process starts or ends is the machine's affair. */
function until(there: () => boolean): Promise<void> {
  return vi.waitFor(() => expect(there()).toBe(true), { timeout: 60_000, interval: 100 })
}
