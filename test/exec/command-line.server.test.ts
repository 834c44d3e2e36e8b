/** A program on the command line, in processes with unique children. */
import { execFileSync, spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { onceproof, temporaryFolder } from '../cli/run-cli.ts'
import { onceproofHere } from '../cli/run-here.ts'
import { needs } from '../needs/needs.ts'
import { programOf } from './programs.ts'

const bin = fileURLToPath(new URL('../../bin/onceproof.mjs', import.meta.url))
const exec = new URL('../../implementations/exec/', import.meta.url)
const ownName = `lock-${process.pid}.py`

/** A copy with a unique name. */
const copyOf = (name: string, more = '') => programOf(fs.readFileSync(new URL(name, exec), 'utf8') + more, ownName)

/** Processes of those copies. */
function left(): string[] {
  const all = execFileSync('ps', ['-eo', 'pid,args'], { encoding: 'utf8' }).split('\n')
  return all.filter((line) => line.includes(ownName) && line.includes('python') && !line.includes('onceproof.mjs'))
}

/** The system needs some time to start or end a process. */
const none = () => vi.waitFor(() => expect(left()).toEqual([]), { timeout: 30_000, interval: 100 })
const some = () => vi.waitFor(() => expect(left().length).toBeGreaterThan(1), { timeout: 30_000, interval: 100 })

needs({ python: 'redis' }).describe('a program on the command line', () => {
  let layer: string
  let runs: string[]
  beforeAll(() => {
    layer = copyOf('set_nx_lock.py')
    runs = ['run', '--impl', layer, '--scenario', 'competing-consumers', '--runs', '3', '--no-html']
  })

  it('is played by worker threads, and leaves no temporary files', async () => {
    const temporary = temporaryFolder()
    const held = ['--impl', copyOf('lock_before_keyed_sink.py'), '--sink', 'keyed', '--scenario', 'lost-reply']
    const args = ['run', ...held, '--runs', '21', '--workers', '2', '--no-html', '--json']
    const { stdout } = await onceproof(args, { env: { TMPDIR: temporary } })
    const { pairs, timings } = JSON.parse(stdout)
    expect(pairs).toMatchObject([{ implementation: 'python-lock-before-keyed-sink', runs: 21, violations: [] }])
    expect(timings.workers).toBe(2)
    expect(fs.readdirSync(temporary)).toEqual([])
  })

  it('is refused in one line if its copies cannot report', async () => {
    const long = path.join(temporaryFolder(), 'x'.repeat(100))
    fs.mkdirSync(long)
    const { code, stderr } = await onceproof([...runs, '--workers', '1'], { env: { TMPDIR: long } })
    expect(stderr).toMatch(/the socket path .* is too long; set TMPDIR to a shorter path$/m)
    expect(code).toBe(2)
    expect(left()).toEqual([])
  })

  it('is shrunk, and a token replays it if the user names the same program', async () => {
    const { code, stdout } = await onceproof([...runs, '--bail', '--workers', '1', '--json'])
    expect(code).toBe(1)
    await none()
    const [{ token, replay, sentence, shrunk }] = JSON.parse(stdout).findings
    expect({ sentence, shrunk }).toEqual({
      sentence: expect.stringMatching(/applied by .* and again by /),
      shrunk: true,
    })
    expect(replay).toContain(`--impl '${layer}'`)

    const unnamed = await onceproofHere(['replay', token])
    expect(unnamed.code).toBe(2)
    expect(unnamed.stderr).toContain('the run needs a program that you must name yourself')
    const other = await onceproofHere(['replay', token, '--impl', `${layer} --other`])
    expect(other.code).toBe(2)
    expect(left()).toEqual([])
    const named = await onceproof(['replay', token, '--impl', layer, '--json'])
    expect(named.code).toBe(1)
    expect(JSON.parse(named.stdout).followed).toMatchObject({ leftAt: null })
    await none()
  })

  it('is upgraded to another program, and a token names both', async () => {
    const next = copyOf('set_nx_lock.py', '# next')
    const { code, stdout } = await onceproof([...runs, '--with-next', next, '--bail', '--workers', '1', '--json'])
    expect(code).toBe(1)
    const [{ token, replay }] = JSON.parse(stdout).findings
    expect(replay).toContain(`--impl '${layer}' --with-next '${next}'`)
    const half = await onceproofHere(['replay', token, '--impl', layer])
    expect(half.stderr).toContain('that you must name yourself: --with-next')
    const named = await onceproof(['replay', token, '--impl', layer, '--with-next', next, '--json'])
    expect(JSON.parse(named.stdout).followed).toMatchObject({ leftAt: null })
  })

  it('leaves no process behind when its terminal closes', async () => {
    const running = spawn(process.execPath, [bin, ...runs, '--runs', '100000', '--workers', '2'], {
      cwd: temporaryFolder(),
      stdio: 'ignore',
    })
    onTestFinished(() => void running.kill('SIGKILL'))
    await some()
    running.kill('SIGHUP')
    // A second signal counts only after some time.
    await new Promise((resolve) => setTimeout(resolve, 500))
    running.kill('SIGHUP')
    await new Promise((resolve) => running.once('exit', resolve))
    expect(running.exitCode).toBe(130)
    await none()
  })
})

needs({ python: 'redis' }).describe('the command line refuses a program', () => {
  // It is started first, and lives as long as this process.
  const copy = () => programOf(fs.readFileSync(new URL('set_nx_lock.py', exec), 'utf8'))

  it('if its next version is not a program', async () => {
    const args = ['--scenario', 'competing-consumers', '--impl', copy(), '--with-next', '001-get-set']
    const { code, stderr } = await onceproofHere(args)
    expect(stderr).toContain('one run cannot play a program and a module')
    expect(code).toBe(2)
  })

  it('if it is in a shard', async () => {
    const args = ['--scenario', 'competing-consumers', '--impl', copy(), '--shard', '1/2']
    const { code, stderr } = await onceproofHere(args)
    expect(stderr).toMatch(/a program runs on one machine; remove --shard/)
    expect(code).toBe(2)
  })
})
