/** Processes of the real binary: exit codes, streams, signals, threads and startup. */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Results } from '../../src/contract/results/results.ts'
import { onceproof, temporaryFolder, withoutServers, write } from './run-cli.ts'
import { v8Flags } from './v8-flags.ts'

const program = fileURLToPath(new URL('../../bin/onceproof.mjs', import.meta.url))
const naive = ['run', '--impl', '001-get-set', '--scenario', 'competing-consumers']
const holds = ['run', '--scenario', 'competing-consumers']

/** The command line in a process that has run `first`. */
function startAfter(first: string, args: readonly string[], stdout: 'pipe' | number = 'pipe') {
  const cwd = temporaryFolder()
  const done = spawnSync(
    process.execPath,
    ['--import', `data:text/javascript,${encodeURIComponent(first)}`, program, ...args],
    {
      ...{ cwd, encoding: 'utf8', stdio: ['ignore', stdout, 'pipe'] },
      ...{ env: { ...process.env, ...withoutServers }, timeout: 55_000, killSignal: 'SIGKILL' },
    },
  )
  return { ...done, cwd }
}

describe('a process of the command line', () => {
  it('ends with exit code 2 after one line or one document for a mistake', async () => {
    const [text, json] = await Promise.all([onceproof(['--sede', '3']), onceproof(['--sede', '3', '--json'])])
    expect(text).toEqual({ code: 2, stdout: '', stderr: 'onceproof: option --sede: did you mean --seed?\n' })
    expect(JSON.parse(json.stdout).error.culprit).toBe('option --sede')
    expect(json).toMatchObject({ code: 2, stderr: '' })
  })

  it('writes all of its output to a slow reader', () => {
    const trace = 'replay --seed 1 --run 2 --impl 000-lua-acquire --scenario half-open-connections --trace'
    const onceproofTo = (reader: string) =>
      Number(execFileSync('sh', ['-c', `"$1" "$2" ${trace} ${reader}`, 'sh', process.execPath, program]).toString())
    const whole = path.join(temporaryFolder(), 'trace')
    const written = onceproofTo(`> ${whole}; wc -c < ${whole}`)
    expect(written).toBeGreaterThan(200_000)
    expect(onceproofTo('| (sleep 8; wc -c)')).toBe(written)
  })

  it('reports an old Node in one line, with exit code 2', () => {
    const { status, stderr } = startAfter(`Object.defineProperty(process.versions, 'node', { value: '18.20.4' })`, [
      'list',
    ])
    expect(stderr).toBe('onceproof: Node 18.20.4: it is too old; install Node 20.19 or later\n')
    expect(status).toBe(2)
  })

  it('sets flags of V8 before anything else is loaded', () => {
    const reports = "import v8 from 'node:v8'; v8.setFlagsFromString = (flag) => console.log(flag)"
    const args = ['--import', `data:text/javascript,${encodeURIComponent(reports)}`, program, '--version']
    const lines = execFileSync(process.execPath, args, { encoding: 'utf8' }).trim().split('\n')
    expect(lines.slice(0, -1)).toEqual(v8Flags(process.versions.node, []))
  })

  it.skipIf(!fs.existsSync('/dev/full'))('reports a full disk in one line if standard output goes there', () => {
    const full = fs.openSync('/dev/full', 'w')
    try {
      const { status, stderr } = startAfter('', ['run', '--runs', 'x', '--json'], full)
      expect(stderr).toBe('onceproof: standard output: not writable (ENOSPC); free some space\n')
      expect(status).toBe(2)
    } finally {
      fs.closeSync(full)
    }
  })

  it('ends silently when the reader of its output is gone', async () => {
    const child = spawn(process.execPath, [program, '--help'], { stdio: ['ignore', 'pipe', 'pipe'] })
    child.stdout.destroy()
    let said = ''
    child.stderr.on('data', (chunk) => (said += chunk))
    const code = await new Promise((resolve) => child.on('close', resolve))
    expect({ code, said }).toEqual({ code: 130, said: '' })
  })

  it('ends with exit code 3 for an unhandled error, and keeps its findings in the report', () => {
    // A rejection follows the first progress line.
    const rejection = `
const write = process.stdout.write
process.stdout.write = function (text, ...rest) {
  if (/ runs: /.test(text)) {
    process.stdout.write = write
    setImmediate(() => Promise.reject(new Error('Connection is closed.')))
  }
  return write.call(this, text, ...rest)
}`
    const { status, stderr, cwd } = startAfter(rejection, [...holds, '--runs', '1000000', '--workers', '1'])
    expect(stderr).toMatch(/unhandled error: Connection is closed\./)
    expect(status).toBe(3)
    const results = JSON.parse(fs.readFileSync(path.join(cwd, 'reports/latest/results.json'), 'utf8'))
    expect(results.pairs[0].runs).toBeGreaterThan(0)
  })

  it('keeps the exit code of a violation if its folder is removed during the campaign', () => {
    // When the first violation is printed, its picture is not drawn yet.
    const folderGone = `
import fs from 'node:fs'
const write = process.stdout.write
process.stdout.write = function (text, ...rest) {
  if (text.startsWith('violated ')) fs.rmSync(process.cwd(), { recursive: true, force: true })
  return write.call(this, text, ...rest)
}`
    const { status, stdout, stderr, cwd } = startAfter(folderGone, [...naive, '--runs', '2', '--workers', '1'])
    expect(fs.existsSync(cwd)).toBe(false)
    expect(stdout).toContain('violated  001-get-set')
    expect(stderr).toContain('--reports reports: the report was not written (ENOENT)')
    expect(status).toBe(1)
  })

  it('stops after the current run at SIGINT, with exit code 130 and a report', async () => {
    const args = [...naive, '--runs', '1000000', '--workers', '2', '--reports', 'here']
    const cwd = temporaryFolder()
    const { code, stdout } = await onceproof(args, { cwd, env: withoutServers, interruptAt: '× competing-consumers' })
    expect(code).toBe(130)
    expect(stdout).toContain('stopping after the current run')
    const written: Results = JSON.parse(fs.readFileSync(path.join(cwd, 'here/latest/results.json'), 'utf8'))
    expect(written).toMatchObject({ interrupted: true, exitCode: 130 })
    expect(written.pairs[0]!.runs).toBeGreaterThan(0)
    expect(written.pairs[0]!.runs).toBeLessThan(1_000_000)
  })

  it('keeps standard output for JSON with --json, whatever a layer writes', async () => {
    const cwd = temporaryFolder()
    const handle = `handle: async () => { console.log('loud: handling'); return { status: 'refused', error: 'closed' } }`
    const loading = `console.log('loud: loading')\nprocess.stdout.write('loud: raw\\n')\n`
    write(cwd, 'loud.ts', `${loading}export default { id: 'loud', create: () => ({ ${handle} }) }\n`)
    for (const workers of ['1', '2']) {
      const args = ['--impl', './loud.ts', '--scenario', 'lost-reply', '--runs', '21', '--json', '--no-html']
      const { stdout } = await onceproof([...args, '--workers', workers], { cwd, env: withoutServers })
      expect(JSON.parse(stdout).pairs[0].implementation).toBe('loud')
    }
  })

  it('replays a run to the same bytes in any time zone and language', async () => {
    const address = ['--seed', '1', '--run', '0', '--impl', '001-get-set', '--scenario', 'competing-consumers']
    const replay = (env: Record<string, string>) => onceproof(['replay', ...address, '--trace'], { env })
    const [one, other] = await Promise.all([replay({ TZ: 'Asia/Tokyo', LANG: 'de_DE.UTF-8' }), replay({ TZ: 'UTC' })])
    expect(one.stdout).toMatch(/ command {2}.*get idempotency:/)
    expect(one).toEqual(other)
  })

  it('plays again with --watch when an imported file changes, until SIGINT', async () => {
    const cwd = temporaryFolder()
    const perform = `({ status: 'done', result: await sink.perform({ key, payload }) })`
    const create = `({ sink }) => ({ handle: async ({ key, payload }) => ${perform} })`
    write(cwd, 'mine.js', `import './part.js'\nexport default { id: 'mine', create: ${create} }\n`)
    write(cwd, 'part.js', 'export {}')
    const few = ['--impl', './mine.js', '--scenario', 'competing-consumers', '--runs', '2', '--workers', '1']
    const child = spawn(process.execPath, [program, ...few, '--no-html', '--watch'], {
      cwd,
      env: { ...process.env, ...withoutServers },
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
    await heard('stop it with Ctrl-C', 1)
    expect(said.match(/^1 pair: /gm)).toHaveLength(1)
    write(cwd, 'part.js', 'export {} // the same')
    await heard('stop it with Ctrl-C', 2)
    expect(said.match(/^1 pair: /gm)).toHaveLength(2)
    child.kill('SIGINT')
    expect(await ended).toBe(130)
    expect(said.match(/^1 pair: /gm)).toHaveLength(2)
  })

  it('plays the project that init creates', async () => {
    const cwd = temporaryFolder()
    fs.symlinkSync(fileURLToPath(new URL('../../node_modules', import.meta.url)), path.join(cwd, 'node_modules'))
    await onceproof(['init'], { cwd })
    const few = ['--scenario', 'key-reuse', '--runs', '1', '--workers', '1', '--no-html', '--json']
    const { pairs }: Results = JSON.parse((await onceproof(few, { cwd, env: withoutServers })).stdout)
    expect(pairs).toMatchObject([{ implementation: 'my-layer', runs: 1, unsupportedCommands: [] }])
    expect(pairs[0]!.done).toBeGreaterThan(0)
  })
})
