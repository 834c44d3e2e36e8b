/** The command line with a fleet and with shards: what a user can get wrong, and once the whole way. */
import { type ChildProcess, spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { freePort } from '../../src/free-port.ts'
import { onceproof, temporaryFolder, write } from '../cli/run-cli.ts'
import { refusal } from '../cli/run-here.ts'
import { inTurn } from '../cli/run-in-turn.ts'
import { describeWithQueue } from './queue-server.ts'

const binary = fileURLToPath(new URL('../../bin/onceproof.mjs', import.meta.url))
const small = ['--impl', 'reference', '--scenario', 'competing-consumers', '--runs', '21', '--no-html', '--json']

async function expectRefusal(args: readonly string[], line: RegExp, cwd = temporaryFolder()): Promise<void> {
  const { code, stdout, stderr } = await refusal(args, cwd)
  expect(stderr).toMatch(line)
  expect(stderr.trimEnd().split('\n')).toHaveLength(1)
  expect(stdout).toBe('')
  expect(code).toBe(2)
}

/** Results as they are on every machine. */
function timeless(stdout: string): string {
  const { timings: _, ...rest } = JSON.parse(stdout)
  return JSON.stringify(rest)
}

describeWithQueue('a fleet on the command line', (queue) => {
  it('gives the bytes of one machine, with this machine asking only', async () => {
    const cwd = temporaryFolder()
    const args = ['worker', '--fleet', queue.url, '--workers', '1']
    const worker: ChildProcess = spawn(process.execPath, [binary, ...args], { cwd, stdio: 'ignore' })
    onTestFinished(() => void worker.kill('SIGKILL'))
    const [fleet, alone] = await Promise.all([
      onceproof([...small, '--fleet', queue.url, '--workers', '0'], { cwd }),
      inTurn([...small, '--workers', '1'], { cwd: temporaryFolder() }),
    ])
    expect(timeless(fleet.stdout)).toBe(timeless(alone.stdout))
    expect([fleet.code, JSON.parse(fleet.stdout).timings.workers]).toEqual([0, 0])
  })

  it('whose queue is the Redis under test is refused, by whatever name', async () => {
    const line =
      /^onceproof: --redis localhost:\d+: it is the Redis of --fleet redis:\/\/127\.0\.0\.1:\d+, and what is /
    await expectRefusal(['run', '--fleet', queue.url, '--redis', `localhost:${queue.port}`], line)
  })

  it('whose queue wants a password is told so, and one whose password is wrong', async () => {
    await queue.client.config('SET', 'requirepass', 'secret')
    onTestFinished(async () => void (await queue.client.config('SET', 'requirepass', '')))
    await expectRefusal(['run', '--fleet', queue.url], /^onceproof: --fleet redis:\/\/127\S+: it wants a password; /)
    const wrong = `redis://:oops@127.0.0.1:${queue.port}`
    await expectRefusal(
      ['worker', '--fleet', wrong],
      /^onceproof: --fleet redis:\/\/127\S+: it refuses that password; /,
    )
  })
})

describe('a mistake with fleets or shards is one line, and exit code 2', () => {
  it('a queue that is down', async () => {
    const url = `redis://127.0.0.1:${await freePort()}`
    await expectRefusal(['run', '--fleet', url], /^onceproof: --fleet redis:\S+: it does not answer \(ECONNREFUSED\); /)
  })

  it.each([
    ['no queue', ['run', '--fleet', 'queue:6379'], /^onceproof: --fleet queue:6379: a queue is named as redis:/],
    ['a worker of nobody', ['worker'], /^onceproof: worker: say whose: --fleet redis:/],
    ['nobody who works', ['run', '--workers', '0'], /onceproof: --workers 0: somebody has to work: /],
    ['--shard 9/8', ['run', '--shard', '9/8'], /^onceproof: --shard 9\/8: give i\/n, with i from 1 to n /],
    ['--shard 0/8', ['matrix', '--shard', '0/8'], /^onceproof: --shard 0\/8: give i\/n, /],
    ['--shard x', ['run', '--shard', 'x'], /^onceproof: --shard x: give i\/n, /],
    ['a shard of a time', ['run', '--shard', '1/2', '--time', '1s'], /^onceproof: --shard and --time: /],
    ['no shard', ['merge', 'nowhere'], /^onceproof: nowhere: it is no shard's report: it has no shard\.json; /],
  ] as const)('%s', async (_, args, line) => {
    const { code, stderr } = await refusal(args)
    expect(stderr).toMatch(line)
    expect(code).toBe(2)
  })
})

describe('shards on the command line', () => {
  const cwd = temporaryFolder()
  const one = ['--impl', '001-get-set', '--scenario', 'competing-consumers', '--scenario', 'lost-reply', '--runs', '20']
  const rest = ['--no-html', '--json', '--workers', '1']
  const file = path.join(cwd, 's1/latest/shard.json')
  let text: string
  beforeAll(async () => {
    const shards = [1, 2].map((index) => ['--shard', `${index}/2`, '--reports', `s${index}`])
    await Promise.all(shards.map((shard) => inTurn([...one, ...rest, ...shard], { cwd })))
    text = fs.readFileSync(file, 'utf8')
    write(cwd, 'other/shard.json', text.replace('"seed":1', '"seed":2').replace('"index":1', '"index":2'))
    write(cwd, 'cut/shard.json', text.slice(0, 1000))
    for (const index of [1, 2]) {
      const own = fs.readFileSync(path.join(cwd, `s${index}/latest/shard.json`), 'utf8')
      write(cwd, `p${index}/shard.json`, own.replace('"impl":["001-get-set"]', '"impl":["exec:touch started"]'))
      const upgrade = '"impl":[{"from":"reference","next":"exec:touch started"}]'
      write(cwd, `u${index}/shard.json`, own.replace('"impl":["001-get-set"]', upgrade))
    }
  })

  it('give the bytes of one machine', async () => {
    const merged = inTurn(['merge', 's1', 's2', ...rest], { cwd })
    const whole = await inTurn([...one, ...rest], { cwd: temporaryFolder() })
    expect(timeless((await merged).stdout)).toBe(timeless(whole.stdout))
    expect((await merged).code).toBe(whole.code)
  })

  it.each([
    ['one is missing', ['s1'], /^onceproof: shard 2 of 2: missing; name the folders of all shards\n$/],
    ['one comes twice', ['s1', 's1'], /^onceproof: s1: it is shard 1\/2, as s1 is; leave one of them out\n$/],
    [
      'one would be overwritten',
      ['s1', 's2', '--reports', 's2'],
      /^onceproof: --reports s2: the shard in s2 would be /,
    ],
    ['one has another seed', ['s1', 'other'], /^onceproof: other: its seed is 2, and that of s1 is 1; /],
    ['a layer is a program', ['p1', 'p2'], /^onceproof: merge: its shards name a program, and a file starts none; /],
    ['a next version is a program', ['u1', 'u2'], /^onceproof: merge: its shards name a program, and a file starts /],
    ['one is cut short', ['cut', 's2'], /^onceproof: cut\/shard\.json: it is cut short or altered; /],
  ])('are refused, and left as they are, where %s', async (_, args, line) => {
    await expectRefusal(['merge', ...args], line, cwd)
    expect(fs.readFileSync(file, 'utf8')).toBe(text)
    expect(fs.existsSync(path.join(cwd, 'started'))).toBe(false)
  })
})
