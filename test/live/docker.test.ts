/** Servers in containers; where no engine answers or an image is missing, skipped by name. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, vi } from 'vitest'
import { containerLabel } from '../../src/live/run-directory.ts'
import { onceproof, temporaryFolder } from '../cli/run-cli.ts'

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

const images = { redis: process.env.REDIS_IMAGE ?? 'redis:7', toxiproxy: process.env.TOXIPROXY_IMAGE }
const has = (image: string | undefined) => image !== undefined && docker('image', 'inspect', image) !== null
// Its own image may be one that cannot be pulled; containers are removed without it.
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

describe.skipIf(!has(images.redis))(
  `live on containers${has(images.redis) ? '' : ` (skipped: no engine with ${images.redis})`}`,
  () => {
    it('runs behind the built-in proxy, and leaves no container', async () => {
      const { code, stdout } = await onceproof([...run, '--proxy', 'builtin', '--json', '--no-html'], { env })
      const [pair] = JSON.parse(stdout).pairs
      expect(pair.live.on).toMatch(/^docker: redis:7 \(Redis \S+\), built-in proxy$/)
      expect(pair.faults['redis-restart'] ?? pair.faults['redis-flushed']).toBeGreaterThan(0)
      expect(pair.invariants['at-most-once'].verdict).toBe('valid')
      expect([0, 4]).toContain(code)
      expect(docker('ps', '-aq', '--filter', `label=${containerLabel}`)).toBe('')
    })

    it('makes a failover of servers and Sentinels in containers, from which nothing is left', async () => {
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
    }, 60_000)

    it('prints what clears away every container of a run that was killed, however early', async () => {
      const TMPDIR = temporaryFolder()
      const args = ['live', '--with', 'docker', '--proxy', 'builtin', '--scenario', 'redis-failover', '--no-html']
      const killed = spawn(process.execPath, [binary, ...args], {
        cwd: temporaryFolder(),
        env: { ...process.env, ...env, TMPDIR },
        stdio: 'ignore',
      })
      const left = () => docker('ps', '-aq', '--filter', `label=${containerLabel}`)
      // The network's and the first servers': others are being started.
      await vi.waitFor(() => expect(left()!.split('\n').length).toBeGreaterThan(3), { timeout: 60_000, interval: 20 })
      killed.kill('SIGKILL')
      await once(killed, 'exit')
      const { stdout } = await onceproof(['live', '--with', 'redis://127.0.0.1:1'], { env: { ...env, TMPDIR } })
      const [, clear = ''] = /to clear it away: (docker ps .*docker rm -f -v); rm -r /.exec(stdout) ?? []
      // What the engine was still making when its caller died has the label too.
      const nothingLeft = () => {
        execFileSync('sh', ['-c', clear], { stdio: 'ignore' })
        expect(left()).toBe('')
      }
      await vi.waitFor(nothingLeft, { timeout: 30_000 })
    }, 120_000)

    it('says which image cannot be had, and what to do: one line, exit 2, and no container left', async () => {
      const { code, stderr } = await onceproof([...run, '--toxiproxy-image', 'onceproof.invalid/no-such-image:1'], {
        env,
      })
      expect(code).toBe(2)
      expect(stderr).toMatch(
        /^onceproof: image onceproof.invalid\/no-such-image:1: no container starts from it .*--proxy builtin$/m,
      )
      expect(docker('ps', '-aq', '--filter', `label=${containerLabel}`)).toBe('')
    })

    it.skipIf(!has(images.toxiproxy))(
      'cuts a primary off behind Toxiproxy in a container (skipped where TOXIPROXY_IMAGE names no image that is there)',
      async () => {
        const args = [...run.slice(0, 3), '--impl', '001-lua-server-time', '--scenario', 'split-brain']
        const { code, stdout } = await onceproof([...args, '--margin', '60000', '--json', '--no-html'], { env })
        const [pair] = JSON.parse(stdout).pairs
        expect(pair.live.on).toContain(`Toxiproxy (${images.toxiproxy}) in a container`)
        expect(code).toBe(1)
        expect(pair.violations[0]).toMatchObject({ invariant: 'at-most-once', kind: 'repeat-after-loss:split-brain' })
      },
      60_000,
    )
  },
)
