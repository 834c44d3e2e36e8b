/** Runs on servers in containers. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { afterEach, expect, it, vi } from 'vitest'
import { containerLabel, RunDirectory } from '../../src/live/environment/run-directory.ts'
import { usualSettings } from '../../src/live/postgres/postgres-machine.ts'
import { LoopbackProxy } from '../../src/live/proxy/loopback-proxy.ts'
import { openDocker } from '../../src/live/servers/docker.ts'
import { onceproof, temporaryFolder } from '../cli/run-cli.ts'
import { needs } from '../needs/needs.ts'

const binary = fileURLToPath(new URL('../../bin/onceproof.mjs', import.meta.url))

const docker = (...args: string[]): string | null => {
  try {
    return execFileSync('docker', args, { stdio: ['ignore', 'pipe', 'ignore'] })
      .toString()
      .trim()
  } catch {
    return null
  }
}

const images = {
  redis: process.env.REDIS_IMAGE ?? 'redis:7',
  postgres: process.env.POSTGRES_IMAGE ?? 'postgres:15',
  toxiproxy: process.env.TOXIPROXY_IMAGE ?? 'ghcr.io/shopify/toxiproxy:2.12.0',
}
const on = (...wanted: string[]) => needs({ docker: wanted })
// Testcontainers’ own image may not be available. Containers are removed without it.
const env = { TESTCONTAINERS_RYUK_DISABLED: 'true' }
const run = [
  'live',
  '--with',
  'docker',
  '--impl',
  'reference',
  '--scenario',
  'redis-restart',
  '--runs',
  '1',
  '--margin',
  '60000',
]

on(images.redis).describe('live on containers', () => {
  it('runs behind the built-in proxy, and leaves no container', async () => {
    const { code, stdout } = await onceproof([...run, '--proxy', 'builtin', '--json', '--no-html'], { env })
    const [pair] = JSON.parse(stdout).pairs
    expect(pair.live.on).toMatch(/^docker: redis:7 \(Redis \S+\), built-in proxy$/)
    expect(pair.faults['redis-restart'] ?? pair.faults['redis-flushed']).toBeGreaterThan(0)
    expect(pair.invariants['at-most-once'].verdict).toBe('valid')
    expect([0, 4]).toContain(code)
    expect(docker('ps', '-aq', '--filter', `label=${containerLabel}`)).toBe('')
  })

  it('fails over servers and Sentinels in containers, and leaves nothing behind', async () => {
    const args = [...run.slice(0, 3), '--impl', 'reference', '--scenario', 'redis-failover', '--margin', '60000']
    const { code, stdout } = await onceproof([...args, '--proxy', 'builtin', '--json', '--no-html'], { env })
    const [pair] = JSON.parse(stdout).pairs
    expect({ code, verdict: pair.verdict, goals: pair.goals }).toEqual({
      code: 0,
      verdict: 'pass',
      goals: { 'a-server-was-promoted': 1 },
    })
    expect(pair.live.runs[0].withoutPrimaryMs).toBeGreaterThan(500)
    expect(docker('ps', '-aq', '--filter', `label=${containerLabel}`)).toBe('')
  })

  it('prints a command that removes every container of a killed run', async () => {
    const TMPDIR = temporaryFolder()
    const args = ['live', '--with', 'docker', '--proxy', 'builtin', '--scenario', 'redis-failover', '--no-html']
    const killed = spawn(process.execPath, [binary, ...args], {
      cwd: temporaryFolder(),
      env: { ...process.env, ...env, TMPDIR },
      stdio: 'ignore',
    })
    const left = () => docker('ps', '-aq', '--filter', `label=${containerLabel}`)
    // The network and the first servers exist. Others are being started.
    await vi.waitFor(() => expect(left()!.split('\n').length).toBeGreaterThan(3), { timeout: 60_000, interval: 20 })
    killed.kill('SIGKILL')
    await once(killed, 'exit')
    const { stdout } = await onceproof(['live', '--with', 'redis://127.0.0.1:1'], { env: { ...env, TMPDIR } })
    const [, clear = ''] = /to clear it away: (docker ps .*docker rm -f -v); rm -r /.exec(stdout) ?? []
    // Containers that the engine was still creating when its caller died have the label, too.
    const nothingLeft = () => {
      execFileSync('sh', ['-c', clear], { stdio: 'ignore' })
      expect(left()).toBe('')
    }
    await vi.waitFor(nothingLeft, { timeout: 30_000 })
  })

  it('reports a missing image with advice in one line, with exit code 2, and leaves no container', async () => {
    const { code, stderr } = await onceproof([...run, '--toxiproxy-image', 'onceproof.invalid/no-such-image:1'], {
      env,
    })
    expect(code).toBe(2)
    expect(stderr).toMatch(
      /^onceproof: image onceproof.invalid\/no-such-image:1: no container starts from it .*--proxy builtin$/m,
    )
    expect(docker('ps', '-aq', '--filter', `label=${containerLabel}`)).toBe('')
  })

  on(images.toxiproxy).it('cuts a primary off behind Toxiproxy in a container', async () => {
    const args = [...run.slice(0, 3), '--impl', '001-lua-server-time', '--scenario', 'split-brain']
    const { code, stdout } = await onceproof([...args, '--margin', '60000', '--json', '--no-html'], { env })
    const [pair] = JSON.parse(stdout).pairs
    expect(pair.live.on).toMatch(/, Toxiproxy \d\S+ \(\S+\) in a container$/)
    expect(code).toBe(1)
    expect(pair.violations[0]).toMatchObject({ invariant: 'at-most-once', kind: 'repeat-after-loss:split-brain' })
  })
})

on(images.postgres).describe('live on PostgreSQL in containers', () => {
  const left = () => docker('ps', '-aq', '--filter', `label=${containerLabel}`)
  const volumes = () => docker('volume', 'ls', '-q')
  const play = (...args: string[]) =>
    onceproof(['live', '--with', 'docker', '--margin', '60000', '--json', '--no-html', ...args], { env })

  it('kills a server, restarts it on its files, passes the reference, and leaves nothing behind', async () => {
    const before = volumes()
    // A run whose server is killed while a COMMIT is on its way.
    const args = ['--impl', 'reference-postgres', '--scenario', 'postgres-crash', '--run', '81']
    const { code, stdout } = await play('--proxy', 'builtin', ...args)
    const [pair] = JSON.parse(stdout).pairs
    expect({ code, verdict: pair.verdict, reason: pair.reason }).toEqual({ code: 0, verdict: 'pass', reason: null })
    expect(pair.live.on).toMatch(/^docker: built-in proxy, postgres:15 \(PostgreSQL \S+\)$/)
    expect(pair.faults['postgres-restart']).toBeGreaterThan(0)
    expect([left(), volumes()]).toEqual(['', before])
  })

  it('breaks a layer that reads before it inserts, as the simulator predicted', async () => {
    const layer = fileURLToPath(new URL('./adapters/looks-before-inserting.ts', import.meta.url))
    const args = ['--impl', layer, '--scenario', 'competing-consumers', '--runs', '2']
    const { code, stdout } = await play('--proxy', 'builtin', ...args)
    const [pair] = JSON.parse(stdout).pairs
    expect({ code, kind: pair.violations[0]?.kind }).toEqual({ code: 1, kind: 'duplicate' })
    expect(left()).toBe('')
  })

  on(images.redis).it(
    'reports an image without PostgreSQL in one line, with exit code 2, and leaves no container',
    async () => {
      const args = ['--impl', 'reference-postgres', '--proxy', 'builtin', '--postgres-image', images.redis]
      const { code, stderr } = await onceproof(['live', '--with', 'docker', ...args], { env })
      const lines = stderr.split('\n').filter((line) => line.startsWith('onceproof: '))
      expect([code, lines]).toEqual([
        2,
        [
          expect.stringMatching(
            /^onceproof: image \S+: no container starts from it .*give another with --postgres-image/,
          ),
        ],
      ])
      expect(left()).toBe('')
    },
  )
})

on(images.postgres).describe('PostgreSQL in a container', () => {
  afterEach(() => vi.unstubAllEnvs())

  it('dies without notice to its clients, and has its durable data after the restart', async () => {
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
    const directory = new RunDirectory()
    const wish = { redisImage: images.redis, postgresImage: images.postgres, toxiproxyImage: '', contained: false }
    const { environment, postgres } = await openDocker(directory, wish, new LoopbackProxy(), new Set(['postgres']))
    try {
      const machine = await postgres!.start(usualSettings)
      const { host, port, operator } = machine
      const open = async () => {
        const client = new Client({ host, port, ...operator })
        const heard: string[] = []
        client.on('error', ({ message }) => heard.push(message))
        await client.connect()
        return { client, heard }
      }
      const clients = await Promise.all(Array.from({ length: 8 }, open))
      const [{ client }] = clients as [(typeof clients)[0]]
      await client.query('CREATE TABLE told (n int)')
      await client.query('INSERT INTO told VALUES (1)')
      const waits = clients[1]!.client.query('SELECT pg_sleep(60)').catch(({ message }: Error) => message)
      await machine.kill()
      expect(await waits).toMatch(/terminated|ECONNRESET/)
      await vi.waitFor(() => expect(clients.every(({ heard }) => heard.length > 0)).toBe(true))
      // A server that announces its end does so by an error with a code.
      expect(clients.flatMap(({ heard }) => heard).filter((text) => /postmaster|shutting|crash/.test(text))).toEqual([])
      expect(await machine.isAlive()).toBe(true)
      await machine.start()
      const again = await open()
      expect((await again.client.query('SELECT n FROM told')).rows).toEqual([{ n: 1 }])
      await again.client.end()
      // Ended from outside.
      const own = `label=${containerLabel}=${directory.folder}`
      const [latest] = docker('ps', '-q', '--filter', own)!.split('\n')
      docker('kill', latest!)
      expect(await machine.isAlive()).toBe(false)
      await machine.close()
    } finally {
      await environment.close()
      directory.close()
    }
  })
})
