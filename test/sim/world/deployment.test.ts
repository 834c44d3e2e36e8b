/**
 * The work of an operator at first deployment is finished before the first consumer starts, and is
 * not part of the run.
 */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { epochMs } from 'virtual-node/kernel'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Plan } from '../../../src/contract/api/plan.ts'
import type { Scenario } from '../../../src/contract/api/scenario.ts'
import { loadImplementation } from '../../../src/sim/adapters/load-implementation.ts'
import { runWorld } from '../../../src/sim/world.ts'

let folder: string
beforeAll(() => {
  folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'deployments-')))
})
afterAll(() => fs.rmSync(folder, { recursive: true }))

/**
 * Each message is dead-lettered with the value of `deployed` in Redis, by a layer with this
 * `deploy`.
 */
async function play(name: string, deploy: string) {
  const file = path.join(folder, `${name}.ts`)
  fs.writeFileSync(
    file,
    `import net from 'node:net'
    const ask = ({ options: { host, port } }, ...words) => new Promise((resolve) => {
      const socket = net.connect(port, host)
      socket.on('data', (bytes) => { resolve(String(bytes)); socket.destroy() })
      socket.write('*' + words.length + '\\r\\n' + words.map((word) => '$' + word.length + '\\r\\n' + word + '\\r\\n').join(''))
    })
    export default {
      id: 'layer',
      ${deploy}
      create: ({ redis }) => ({
        handle: async ({ producedAt }) => ({
          status: 'dead-letter', reason: [await ask(redis, 'GET', 'deployed'), producedAt, Date.now()].join(' ')
        }),
      }),
    }`,
  )
  const result = await runWorld({
    scenario: { id: 'a story', recoveryCapMs: 60_000 } as Scenario,
    implementation: await loadImplementation(file),
    sink: 'plain',
    plan,
    choices: { seed: 1 },
    record: true,
  })
  const settled = result.history.events.find((event) => event.type === 'settled')
  const [reply, producedAt, now] = (settled?.reason ?? '').split(/ (?=\d)/)
  return { result, reply, producedAt: Number(producedAt), now: Number(now) }
}

const plan: Plan = {
  consumers: 1,
  messages: [{ key: 'k', payload: 1, publishAtMs: 5 }],
  leaseMs: 1000,
  retentionMs: 100_000,
  visibilityMs: 10_000,
  redeliveryMs: 100,
  maxAttempts: 5,
  effectMs: 10,
  effectTimeoutMs: 1000,
  // Aimed at the machine after the last consumer, which is the operator’s.
  faults: [{ kind: 'redis-flushed', when: { at: 'command-unsent', consumer: 1, nth: 4 } }],
}

describe('deploy', () => {
  test('ends before the consumers start', async () => {
    const wait = 'await new Promise((resolve) => setTimeout(resolve, 3000));'
    const { reply } = await play(
      'done',
      `async deploy({ redis }) { ${wait} await ask(redis, 'SET', 'deployed', 'yes') },`,
    )
    expect(reply).toBe('$3\r\nyes\r\n')
    expect((await play('without', '')).reply).toBe('$-1\r\n')
  })

  test('is outside the time of the plan and the history, and is spared by faults', async () => {
    const sets = "for (let i = 0; i < 4; i++) await ask(redis, 'SET', 'deployed', 'yes')"
    const { result, reply, producedAt, now } = await play('apart', `async deploy({ redis }) { ${sets} },`)
    expect(reply).toBe('$3\r\nyes\r\n')
    const { events } = result.history
    expect(events.filter(({ type }) => type === 'fault-struck')).toEqual([])
    expect(events.some((event) => 'process' in event && event.process === 'operator' && event.atUs > 0)).toBe(false)
    expect(events.find(({ type }) => type === 'published')!.atUs).toBe(5000)
    expect(producedAt).toBeGreaterThan(epochMs + 5)
    expect(Number.isInteger(producedAt)).toBe(true)
    expect(now - producedAt).toBeGreaterThanOrEqual(0)
    expect(now - producedAt).toBeLessThan(1000)
  })

  test('is an error of the adapter if it fails or never ends', async () => {
    await expect(play('fails', "deploy() { throw new Error('no rights') },")).rejects.toThrow(/deploy.*no rights/)
    await expect(play('hangs', 'deploy: () => new Promise(() => {}),')).rejects.toThrow(/deploy.*never settles/)
  })
})
