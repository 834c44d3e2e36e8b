/** The command `onceproof live` as a user runs it. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import { fileURLToPath } from 'node:url'
import { freePort } from 'test-servers'
import { describe, expect, it, vi } from 'vitest'
import { encodeRun } from '../../src/campaign/token/token.ts'
import type { Plan, RedisPlan } from '../../src/contract/api/plan.ts'
import { toxiproxyVersion } from '../../src/live/proxy/toxiproxy.ts'
import { RedisProcess } from '../../src/live/servers/redis-process.ts'
import { type CliContext, onceproof as spawned, temporaryFolder } from '../cli/run-cli.ts'
import { onceproofHere } from '../cli/run-here.ts'
import { needs } from '../needs/needs.ts'
import { calm } from './lab.ts'

/**
 * Not the temporary folder of the machine, because every live command lists leftovers of other runs
 * there.
 */
const temporary = temporaryFolder()
const onceproof = (args: readonly string[], around: CliContext = {}) =>
  spawned(args, { ...around, env: { TMPDIR: temporary, ...around.env } })

const local = ['live', '--with', 'local', '--proxy', 'builtin', '--margin', '60000']

/** A server of a user. */
async function ownRedis() {
  const port = await freePort()
  const folder = temporaryFolder()
  const args = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '']
  const redis = new RedisProcess({ binary: 'redis-server', port, folder, env: process.env, started: () => {}, args })
  await redis.start()
  const cli = (...words: string[]) =>
    spawnSync('redis-cli', ['-p', `${port}`, ...words])
      .stdout.toString()
      .trim()
  return { port, cli, kill: () => redis.kill() }
}

needs({ redis: '7.0' }).describe('live', () => {
  it('breaks the check-then-act layer as the simulator predicted, prints ordinary results, and leaves nothing behind', async () => {
    const args = ['--impl', '001-get-set', '--scenario', 'competing-consumers', '--runs', '2', '--json', '--no-html']
    const { code, stdout } = await onceproof([...local, ...args])
    const results = JSON.parse(stdout)
    const [pair] = results.pairs
    expect({ code, exitCode: results.exitCode, verdict: pair.verdict }).toEqual({
      code: 1,
      exitCode: 1,
      verdict: 'violated',
    })
    const [violation] = pair.violations
    expect(violation).toMatchObject({ invariant: 'at-most-once', kind: 'duplicate', token: null })
    expect(violation.replay).toMatch(
      /^npx onceproof live --with local --proxy builtin --impl 001-get-set .*--seed 1 --run \d+ --time-scale 0.2$/,
    )
    expect(pair.live.on).toMatch(/^local: (Redis|Valkey) \S+, built-in proxy$/)
    expect(pair.live.simulated[0].says).toMatch(/^at-most-once duplicate in \d+ of 16$/)
    expect(fs.readdirSync(temporary).filter((name) => name.startsWith('onceproof-live-'))).toEqual([])
  })

  it('passes the reference with the goals that the simulator surely reaches in the chosen plans', async () => {
    const args = ['--impl', 'reference', '--scenario', 'lost-reply', '--json', '--no-html']
    const { code, stdout } = await onceproof([...local, ...args])
    const [pair] = JSON.parse(stdout).pairs
    expect({ code, verdict: pair.verdict, reason: pair.reason }).toEqual({ code: 0, verdict: 'pass', reason: null })
    expect(Object.values(pair.goals).every((runs) => Number(runs) > 0)).toBe(true)
    expect(pair.live.notAsked).toEqual({})
  })

  it('ends at Ctrl-C with the results so far, exit code 130, and nothing left behind', async () => {
    const cwd = temporaryFolder()
    const around = { cwd, interruptAt: 'with local' }
    const { code, stdout } = await onceproof([...local, '--impl', 'reference', '--scenario', 'late-crash'], around)
    expect(code).toBe(130)
    expect(stdout).toContain('interrupted: results so far')
    expect(fs.existsSync(`${cwd}/reports/latest/results.json`)).toBe(true)
  })

  it('reports in one line that the proxy died, with exit code 3', async () => {
    const program = fileURLToPath(new URL('toxiproxy-stand-in.ts', import.meta.url))
    const child = spawn(process.execPath, ['--import', 'tsx', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
      cwd: fileURLToPath(new URL('../..', import.meta.url)),
    })
    const [url] = await once(child.stdout!, 'data')
    const args = ['--impl', '000-set-nx-marker', '--scenario', 'competing-consumers', '--run', '0', '--time-scale', '5']
    const running = onceproof(['live', '--with', 'local', '--proxy', String(url).trim(), '--margin', '60000', ...args])
    // Two proxies for each of three consumers: the run has started.
    const proxies = async () =>
      Object.keys((await (await fetch(`${String(url).trim()}/proxies`)).json()) as object).length
    await vi.waitFor(async () => expect(await proxies()).toBe(6), { timeout: 30_000 })
    child.kill('SIGKILL')
    const { code, stdout } = await running
    expect(code).toBe(3)
    expect(stdout).toMatch(/^the live run failed: .*the proxy: it no longer answers; start it again/m)
  })

  it('replays a recorded run, and prints how to repeat it', async () => {
    const cwd = temporaryFolder()
    const plan: Plan = {
      ...calm,
      messages: [{ key: 'order-1', payload: 1, publishAtMs: 0 }],
      // Both consumers read the record long before the first effect ends, and no lease ends even on
      // a slow machine.
      leaseMs: 20_000,
      effectMs: 2000,
      effectTimeoutMs: 20_000,
      visibilityMs: 20_000,
      faults: [{ kind: 'redelivery', message: 0, when: { at: 'time', ms: 0 } }],
    }
    const pair = { implementation: '001-get-set', scenario: 'competing-consumers', sink: 'plain' } as const
    const recorded = { ...pair, seed: 5, run: 7, plan, choiceSeed: 1, stepCount: 0, trail: '', digest: '' }
    fs.writeFileSync(`${cwd}/run.json`, encodeRun(recorded))
    const { code, stdout } = await onceproof([local[0]!, 'run.json', ...local.slice(1), '--json', '--no-html'], { cwd })
    const results = JSON.parse(stdout)
    const [violation] = results.pairs[0].violations
    expect({ code, seed: results.seed }).toEqual({ code: 1, seed: 5 })
    expect(violation).toMatchObject({ invariant: 'at-most-once', kind: 'duplicate', run: 7 })
    expect(violation.replay).toBe('npx onceproof live run.json --with local --proxy builtin --time-scale 0.2')
    expect(results.pairs[0].live.simulated).toEqual([{ run: 7, says: 'at-most-once duplicate in 16 of 16' }])
  })

  it('replays a recorded run of a Cluster on real nodes, and lists differences from its plan', async () => {
    const cwd = temporaryFolder()
    const redis: RedisPlan = {
      shards: 3,
      replicas: 1,
      sentinels: 0,
      downAfterMs: 2500,
      failoverTimeoutMs: 0,
      keeps: 'snapshot',
      minReplicasToWrite: 0,
      fullSyncMs: 0,
      loadingMs: 0,
    }
    const faults = [{ kind: 'duplicate-delivery', message: 0, when: { at: 'time', ms: 50 } }]
    const pair = { implementation: 'reference', scenario: 'cluster-failover', sink: 'plain' } as const
    const recorded = { ...pair, seed: 5, run: 7, choiceSeed: 1, stepCount: 0, trail: '', digest: '' }
    const plan = { ...calm, redis, faults } as unknown as Plan
    fs.writeFileSync(`${cwd}/run.json`, encodeRun({ ...recorded, plan }))
    const { code, stdout } = await onceproof([local[0]!, 'run.json', ...local.slice(1), '--json', '--no-html'], { cwd })
    const [{ verdict, reason, live, effects }] = JSON.parse(stdout).pairs
    expect({ code, verdict, effects }).toEqual({ code: 4, verdict: 'unknown', effects: 1 })
    expect(reason).toBe('holds, but differs from the recorded run: played without redis.keeps: snapshot')
    expect(live.notMade).toEqual([{ run: 7, fault: 'redis.keeps: snapshot', why: 'live servers have nothing' }])
    expect(live.runs[0].withoutPrimaryMs).toEqual(expect.any(Number))
  })

  it('lists what it cannot replay, and does not call the result without it a pass', async () => {
    const cwd = temporaryFolder()
    const faults = [{ kind: 'error-reply', error: 'OOM', when: { at: 'command-unexecuted', consumer: 0, nth: 1 } }]
    const pair = { implementation: 'reference', scenario: 'competing-consumers', sink: 'plain' } as const
    const recorded = { ...pair, seed: 5, run: 7, choiceSeed: 1, stepCount: 0, trail: '', digest: '' }
    fs.writeFileSync(`${cwd}/run.json`, encodeRun({ ...recorded, plan: { ...calm, faults } as unknown as Plan }))
    const { code, stdout } = await onceproof([local[0]!, 'run.json', ...local.slice(1), '--json', '--no-html'], { cwd })
    const [{ verdict, reason, live }] = JSON.parse(stdout).pairs
    expect({ code, verdict }).toEqual({ code: 4, verdict: 'unknown' })
    expect(reason).toBe('holds, but differs from the recorded run: played without error-reply')
    expect(live.notMade).toMatchObject([{ run: 7, fault: 'error-reply' }])
  })

  it('keeps the finished pairs when the server dies, and reports it in one line, with exit code 3', async () => {
    const redis = await ownRedis()
    const names = () => redis.cli('keys', 'onceproof:*')
    const cwd = temporaryFolder()
    const named = ['live', '--with', `redis://127.0.0.1:${redis.port}`, '--margin', '60000', '--no-html']
    const pairs = ['--impl', '000-set-nx-marker', '--scenario', 'competing-consumers', '--scenario', 'lost-reply']
    const running = onceproof([...named, ...pairs, '--run', '0', '--time-scale', '3'], { cwd })
    // Keys of the first pair appear and are deleted at its end. Then keys of the second one appear.
    for (const there of [true, false, true])
      await vi.waitFor(() => expect(names() !== '').toBe(there), { timeout: 40_000, interval: 20 })
    await redis.kill()
    const { code, stdout, stderr } = await running
    expect(code).toBe(3)
    expect(stdout).toMatch(/^the live run failed: .*the Redis server: it ended during the run/m)
    expect(stdout).toContain(`redis://127.0.0.1:${redis.port}: keys under onceproof:`)
    expect(stdout + stderr).not.toMatch(/^\s+at /m)
    const kept = JSON.parse(fs.readFileSync(`${cwd}/reports/latest/results.json`, 'utf8'))
    expect({ exitCode: kept.exitCode, pairs: kept.pairs.length }).toEqual({ exitCode: 3, pairs: 1 })
  })

  it('uses only its prefix on a user’s server, restores it, and refuses harmful faults', async () => {
    const redis = await ownRedis()
    const { port, cli } = redis
    try {
      cli('set', 'mine', '1')
      const named = ['live', '--with', `redis://127.0.0.1:${port}`, '--margin', '60000', '--json', '--no-html']
      const { stdout } = await onceproof([...named, '--impl', 'reference', '--scenario', 'redis-restart', '--run', '0'])
      const [pair] = JSON.parse(stdout).pairs
      expect(pair.live.on).toMatch(/under the key prefix onceproof:/)
      expect(pair.live.notMade[0].why).toMatch(/not ours to end|--allow-destructive/)
      expect(pair.effects).toBeGreaterThan(0)
      expect([cli('keys', '*'), cli('config', 'get', 'notify-keyspace-events')]).toEqual([
        'mine',
        'notify-keyspace-events',
      ])
      const unmade = await onceproof([...named, '--impl', 'reference', '--scenario', 'redis-restart'])
      const [none] = JSON.parse(unmade.stdout).pairs
      expect({ code: unmade.code, verdict: none.verdict, runs: none.runs }).toEqual({
        code: 4,
        verdict: 'unknown',
        runs: 0,
      })
      expect(none.reason).toMatch(/^all 150 runs need .*redis-flushed \(.*--allow-destructive\)/)
      expect(none.live.notMade).toContainEqual({
        run: expect.any(Number),
        fault: 'redis-flushed',
        why: expect.stringContaining('--allow-destructive'),
      })
      const missing = {
        'split-brain': 'needs several servers and Sentinels',
        'cluster-failover': 'needs a Redis Cluster',
      }
      for (const [scenario, needs] of Object.entries(missing)) {
        const several = await onceproof([...named, '--impl', 'reference', '--scenario', scenario])
        const { culprit, remedy } = JSON.parse(several.stdout).error
        expect({ code: several.code, culprit }).toEqual({ code: 2, culprit: `--scenario ${scenario}` })
        expect(remedy).toContain(needs)
      }
      cli('config', 'set', 'requirepass', 'secret')
      const refused = await onceproof(named.slice(0, 3))
      expect({ code: refused.code, stderr: refused.stderr }).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/no password or a wrong one.*redis:\/\/:password@host:port/),
      })
    } finally {
      await redis.kill()
    }
  })
})

describe('live, before it starts,', () => {
  const refusals: Record<string, [string[], Record<string, string>, RegExp]> = {
    'a missing program': [['--with', 'local', '--redis-binary', 'no-such-redis'], {}, /no-such-redis: no such program/],
    'a missing container engine': [
      ['--with', 'docker'],
      { DOCKER_HOST: 'unix:///no/such.sock' },
      /--with docker: no container engine answers/,
    ],
    'an address without a server': [['--with', 'redis://127.0.0.1:1'], {}, /unreachable/],
    'an unknown value of --with': [['--with', 'podmen'], {}, /--with podmen: choose local, docker, compose, or a URL/],
    'a missing Toxiproxy': [
      ['--with', 'local', '--proxy', 'http://127.0.0.1:1'],
      {},
      /no Toxiproxy answers at http:..127.0.0.1:1; start it/,
    ],
    'a bench that is not running': [['--with', 'compose'], {}, /docker compose up/],
    'a scenario that live does not support': [
      ['--scenario', 'data-loss'],
      {},
      /--scenario data-loss: not supported live/,
    ],
    'an invalid time scale': [['--time-scale', '0'], {}, /give a number from 0.01 to 100/],
  }
  for (const [name, [args, env, says]] of Object.entries(refusals))
    it(`rejects ${name} in one line, with exit code 2`, async ({ skip }) => {
      if (name === 'a bench that is not running' && (await toxiproxyVersion('http://127.0.0.1:8474')) !== null) skip()
      const { code, stderr } = await onceproofHere(['live', ...args], { servers: true, env })
      expect(code).toBe(2)
      expect(stderr.trim().split('\n')).toEqual([expect.stringMatching(says)])
    })
})
