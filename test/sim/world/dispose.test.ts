/**
 * References that a layer keeps after a run must not keep the world of the run alive: see
 * `VirtualProcess.dispose`.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Redis } from 'ioredis'
import { RedisServer } from 'redis-sim'
import { afterEach, describe, expect, it } from 'vitest'
import type { CreateContext, Implementation } from '../../../src/contract/api/implementation.ts'
import { SimulatedRun } from '../../../src/sim/world/simulated-run.ts'
import type { World } from '../../../src/sim/world/world-state.ts'
import { type Play, play } from '../world-lab.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

const { connect } = RedisServer.prototype
const { dispose, play: playRun } = SimulatedRun.prototype

afterEach(() => {
  RedisServer.prototype.connect = connect
  SimulatedRun.prototype.dispose = dispose
  SimulatedRun.prototype.play = playRun
})

/**
 * Keeps everything that a layer can reach: client, sink, lock, an error with its stack, and a
 * promise that never settles.
 */
function hoarder(hoard: unknown[]): Pick<Implementation, 'create'> {
  return {
    create({ redis, sink, lock }: CreateContext) {
      const client = new Redis(redis.options)
      hoard.push(client, sink, lock)
      return {
        async handle({ key, payload }) {
          await client.set(key, 'seen')
          hoard.push(
            new Error('kept'),
            new Promise(() => {}).then(() => client.get(key)),
          )
          return { status: 'done', result: (await sink.perform({ key, payload })) as never }
        },
        close: () => client.disconnect(),
      }
    },
  }
}

/** The names of the servers and of the world of the run that are still alive. */
async function aliveAfter(adapter: Pick<Implementation, 'create'>, options: Play = {}): Promise<string[]> {
  const parts: WeakRef<RedisServer | World>[] = []
  RedisServer.prototype.connect = function (peer) {
    parts.push(new WeakRef(this))
    return connect.call(this, peer)
  }
  SimulatedRun.prototype.play = function (limits) {
    parts.push(new WeakRef(this.parts.world))
    return playRun.call(this, limits)
  }
  await play(adapter, options)
  const kinds = () => [...new Set(parts.map((part) => part.deref()?.constructor.name))]
  expect(kinds().sort()).toEqual(['RedisServer', 'World'])
  const alive = () => kinds().filter((kind) => kind !== undefined)
  // The last promises of the run are released in some later turn, which the run does not control.
  for (let turn = 0; turn < 20; turn++) {
    await new Promise((resolve) => setImmediate(resolve))
    collect()
    if (alive().length === 0) break
  }
  return alive()
}

describe('a finished run', () => {
  it('is not kept alive by references of its layer', async () => {
    const hoard: unknown[] = []
    expect(await aliveAfter(hoarder(hoard))).toEqual([])
    expect(hoard.length).toBe(5)
  })

  it('is not kept alive by a process that was killed in a call of its sink', async () => {
    const hoard: unknown[] = []
    const killed = { kind: 'crash', when: { at: 'effect-unsent', consumer: 0, nth: 1 }, healAfterMs: 10 } as const
    expect(await aliveAfter(hoarder(hoard), { faults: [killed] })).toEqual([])
    // The process and its successor keep five each.
    expect(hoard.length).toBe(10)
  })

  it('is kept alive without `dispose`', async () => {
    SimulatedRun.prototype.dispose = () => {}
    const hoard: unknown[] = []
    expect(await aliveAfter(hoarder(hoard))).toContain('World')
    expect(hoard.length).toBe(5)
  })

  it('never answers a layer that uses the sink or the client of an earlier run', async () => {
    const contexts: CreateContext[] = []
    const clients: Redis[] = []
    const settled: string[] = []
    const adapter: Pick<Implementation, 'create'> = {
      create(context) {
        contexts.push(context)
        clients.push(new Redis(context.redis.options))
        return {
          async handle({ key, payload }) {
            const note = (what: string) => () => void settled.push(what)
            void contexts[0]!.sink.perform({ key, payload }).then(note(`sink of ${contexts.length}`))
            clients[0]!.get(key).then(note(`client of ${clients.length}`), () => {})
            clients[0]!.disconnect()
            const receipt = await context.sink.perform({ key, payload })
            return { status: 'done', result: receipt as never }
          },
          close: () => {},
        }
      },
    }
    await play(adapter)
    expect(settled).toContain('sink of 1')
    const { of } = await play(adapter)
    expect(settled.filter((what) => what.endsWith('2'))).toEqual([])
    expect(of('settled')).toMatchObject([{ as: 'done' }])
  })
})
