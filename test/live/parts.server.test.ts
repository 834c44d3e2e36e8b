/** Parts of live runs that need no server. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from 'test-servers'
import { describe, expect, it } from 'vitest'
import { staleLine } from '../../src/cli/with-environment.ts'
import type { Plan } from '../../src/contract/api/plan.ts'
import { RunDirectory, staleRuns } from '../../src/live/environment/run-directory.ts'
import { RedisProcess } from '../../src/live/servers/redis-process.ts'
import { LiveLedger } from '../../src/live/sink/ledger.ts'
import { scaled } from '../../src/run/time-scale.ts'
import { temporaryFolder } from '../cli/run-cli.ts'
import { needs } from '../needs/needs.ts'
import { calm } from './lab.ts'

describe('a plan on real machines', () => {
  const plan: Plan = {
    ...calm,
    messages: [{ key: 'k', payload: 1, publishAtMs: 400 }],
    faults: [
      { kind: 'pause', when: { at: 'time', ms: 300 }, healAfterMs: 2, near: { limit: 0, byMs: -3 } },
      { kind: 'clock-step', when: { at: 'answered', consumer: 0, nth: 2 }, machine: 0, byMs: -5000 },
    ],
  }

  it('has scaled durations, and all other numbers unchanged', () => {
    const { leaseMs, visibilityMs, messages, faults, maxAttempts } = scaled(plan, 0.2)
    expect({ leaseMs, visibilityMs, maxAttempts }).toEqual({ leaseMs: 200, visibilityMs: 600, maxAttempts: 50 })
    expect(messages[0]!.publishAtMs).toBe(80)
    expect(faults).toEqual([
      { kind: 'pause', when: { at: 'time', ms: 60 }, healAfterMs: 1, near: { limit: 0, byMs: -3 } },
      { kind: 'clock-step', when: { at: 'answered', consumer: 0, nth: 2 }, machine: 0, byMs: -1000 },
    ])
  })

  it('is unchanged at scale 1', () => expect(scaled(plan, 1)).toEqual(plan))
})

describe('the ledger', () => {
  it('has an effect on disk before it answers', async () => {
    const file = path.join(temporaryFolder(), 'ledger')
    const ledger = await LiveLedger.create(file, 'plain', { nowMs: () => performance.now() })
    const { receipt } = (await ledger.perform({ key: 'a', payload: 1 }, false)) as { receipt: { effectId: string } }
    expect(
      fs
        .readFileSync(file, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).effectId),
    ).toEqual([receipt.effectId])
    await ledger.close()
  })

  it('applies twice on a plain sink, once on a keyed one, and refuses an older fence on a fenced one', async () => {
    const twice = async (kind: 'plain' | 'keyed' | 'fenced') => {
      const ledger = await LiveLedger.create(path.join(temporaryFolder(), 'ledger'), kind, {
        nowMs: () => performance.now(),
      })
      const answers = [
        await ledger.perform({ key: 'a', payload: 1, fence: 2 }, false),
        await ledger.perform({ key: 'a', payload: 1, fence: 1 }, false),
      ]
      await ledger.close()
      return answers.map(({ status }) => status)
    }
    expect(await twice('plain')).toEqual(['applied', 'applied'])
    expect(await twice('keyed')).toEqual(['applied', 'deduplicated'])
    expect(await twice('fenced')).toEqual(['applied', 'stale-fence'])
  })
})

describe('the ledger of a cancellable sink', () => {
  it('has a cancellation on disk before it answers', async () => {
    const file = path.join(temporaryFolder(), 'ledger')
    const ledger = await LiveLedger.create(file, 'cancellable', { nowMs: () => performance.now() })
    const request = { key: 'a', payload: 1, reference: 'r1' }
    expect(await ledger.perform(request, false)).toMatchObject({ status: 'applied' })
    expect(await ledger.cancel('a', 'r1')).toEqual({ status: 'cancelled', effects: ['effect-1'] })
    const [, line] = fs.readFileSync(file, 'utf8').trim().split('\n')
    expect(JSON.parse(line!)).toEqual({ key: 'a', cancelled: 'r1', effects: ['effect-1'] })
    expect(await ledger.perform(request, false)).toEqual({ status: 'cancelled' })
    await ledger.close()
  })
})

describe('the leftovers of a killed run', () => {
  it('are found by their folder, with their own living processes only', async () => {
    const gone = spawn('true')
    await once(gone, 'exit')
    const left = fs.mkdtempSync(path.join(os.tmpdir(), `onceproof-live-${gone.pid}-`))
    const ours = spawn('sleep', ['60'], { env: { ...process.env, ONCEPROOF_LIVE: left } })
    const another = spawn('sleep', ['60'])
    await Promise.all([once(ours, 'spawn'), once(another, 'spawn')])
    fs.writeFileSync(path.join(left, 'pids'), `${ours.pid}\n${another.pid}\n`)
    const found = staleRuns().find((run) => run.folder === left)
    expect(found).toMatchObject({ pids: [ours.pid], containers: false })
    for (const child of [ours, another]) child.kill('SIGKILL')
    fs.rmSync(left, { recursive: true })
  })

  it('are found by label if they are containers, however early the run was killed', () => {
    const program = fileURLToPath(new URL('../../src/live/environment/run-directory.ts', import.meta.url))
    const killed = `import { RunDirectory } from ${JSON.stringify(program)}
      const directory = new RunDirectory()
      directory.startsContainers()
      process.stdout.write(directory.folder)
      process.kill(process.pid, 'SIGKILL')`
    const left = spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', killed]).stdout.toString()
    const stale = staleRuns().find((run) => run.folder === left)!
    expect(staleLine(stale)).toContain(
      `docker ps -aq --filter label=onceproof.live=${left} | xargs -r docker rm -f -v; rm -r ${left}`,
    )
    expect(staleLine({ ...stale, containers: false })).not.toContain('docker')
    fs.rmSync(left, { recursive: true })
  })

  needs({ redis: '7.0' }).it('include a redis-server, which has overwritten its environment', async () => {
    const gone = spawn('true')
    await once(gone, 'exit')
    const left = fs.mkdtempSync(path.join(os.tmpdir(), `onceproof-live-${gone.pid}-`))
    const started = (pid: number) => fs.appendFileSync(path.join(left, 'pids'), `${pid}\n`)
    const port = await freePort()
    const args = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '']
    const redis = new RedisProcess({ binary: 'redis-server', port, folder: left, env: process.env, started, args })
    await redis.start()
    expect(staleRuns().find((run) => run.folder === left)?.pids).toHaveLength(1)
    await redis.kill()
    expect(staleRuns().find((run) => run.folder === left)?.pids).toEqual([])
    fs.rmSync(left, { recursive: true })
  })

  it('are empty while the run is alive', () => {
    const directory = new RunDirectory()
    expect(staleRuns().map((run) => run.folder)).not.toContain(directory.folder)
    directory.close()
    expect(fs.existsSync(directory.folder)).toBe(false)
  })
})
