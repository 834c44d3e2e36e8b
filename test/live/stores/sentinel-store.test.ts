/** Effects of faults on several servers. The servers are fakes. */
import { describe, expect, it, vi } from 'vitest'
import { LiveRecorder } from '../../../src/live/host/recorder.ts'
import { SentinelStore } from '../../../src/live/stores/sentinel-store.ts'

function lab() {
  const done: string[] = []
  const nodes = ['redis-1', 'redis-2', 'redis-3'].map((name) => ({
    name,
    machine: { kill: async () => void done.push(`kill ${name}`), start: async () => void done.push(`start ${name}`) },
  }))
  const sentinels = {
    nodes,
    primary: async () => nodes[0],
    hide: async ({ name }: { name: string }, on: boolean) => void done.push(`${on ? 'hide' : 'show'} ${name}`),
    demote: async ({ name }: { name: string }) => void done.push(`demote ${name}`),
  }
  const records = { of: vi.fn(async () => new Map<string, string>()), reportLost: vi.fn(async () => {}) }
  return {
    store: new SentinelStore(
      sentinels as never,
      new LiveRecorder(
        () => 0,
        () => {},
      ),
      records,
    ),
    records,
    done,
  }
}

const stop = { do: 'stop-machine', machine: 'redis-1', withDisk: false } as const
const start = { do: 'start-machine', machine: 'redis-1' } as const
const cut = (what: 'cut-off' | 'rejoin', ...machines: string[]) =>
  ({ do: what, machines, others: [], consumersToo: false }) as const

describe('a primary', () => {
  it('is down after a kill until it is started again', async () => {
    const { store, done } = lab()
    expect(await store.carryOut(stop)).toBe(true)
    expect(store.primary.up).toBe(false)
    await store.carryOut(start)
    expect(store.primary.up).toBe(true)
    expect(done).toEqual(['kill redis-1', 'start redis-1', 'demote redis-1'])
  })

  it('is killed only once by two faults at the same time', async () => {
    const { store, records, done } = lab()
    expect(await Promise.all([store.carryOut(stop), store.carryOut(stop)])).toEqual([true, false])
    expect(done).toEqual(['kill redis-1'])
    expect(records.of).toHaveBeenCalledTimes(1)
  })

  it('is not started after the end of its run', async () => {
    const { store, done } = lab()
    await store.carryOut(stop)
    const healing = store.carryOut(start)
    store.close()
    expect(await healing).toBe(false)
    expect(done).toEqual(['kill redis-1'])
  })

  it('is the server that was announced last', () => {
    const { store } = lab()
    store.promoted('redis-3')
    expect(store.primary.name).toBe('redis-3')
  })
})

describe('servers that are cut off', () => {
  it('include all servers of the fault', async () => {
    const { store, done } = lab()
    expect(await store.carryOut(cut('cut-off', 'redis-1', 'redis-2'))).toBe(true)
    await store.carryOut(cut('rejoin', 'redis-1', 'redis-2'))
    expect(done).toEqual([
      'hide redis-1',
      'hide redis-2',
      'show redis-1',
      'show redis-2',
      'demote redis-1',
      'demote redis-2',
    ])
  })

  it('reconnect when the last of two faults has healed, while a fault does not strike a server that is already cut off', async () => {
    const { store, done } = lab()
    await store.carryOut(cut('cut-off', 'redis-1'))
    expect(await store.carryOut(cut('cut-off', 'redis-1'))).toBe(false)
    await store.carryOut(cut('cut-off', 'redis-1', 'redis-2'))
    await store.carryOut(cut('rejoin', 'redis-1'))
    expect(done.filter((one) => one.startsWith('show'))).toEqual([])
    await store.carryOut(cut('rejoin', 'redis-1', 'redis-2'))
    expect(done.filter((one) => one.startsWith('show'))).toEqual(['show redis-1', 'show redis-2'])
  })

  it('lose nothing if they are also killed', async () => {
    const { store, records, done } = lab()
    await store.carryOut(cut('cut-off', 'redis-1'))
    await store.carryOut(stop)
    await store.carryOut(cut('rejoin', 'redis-1'))
    expect(records.reportLost).not.toHaveBeenCalled()
    expect(done).toEqual(['hide redis-1', 'kill redis-1', 'show redis-1'])
  })
})

it('an order that only a single server can carry out is an error', async () => {
  const { store } = lab()
  await expect(store.carryOut({ do: 'flush-keys', machine: 'redis-1' })).rejects.toThrow('flush-keys is not supported')
})
