/** Effects of faults on the nodes of a Cluster. The nodes are fakes. */
import { describe, expect, it } from 'vitest'
import { ClusterStore } from '../../../src/live/cluster/cluster-store.ts'
import { HeldRules } from '../../../src/live/held/held-rules.ts'

function lab() {
  const done: string[] = []
  const nodes = ['redis-1a', 'redis-1b', 'redis-2a', 'redis-2b'].map((name) => ({
    name,
    up: true,
    frozen: false,
    machine: { isAlive: async () => true },
    call: async () => '',
    async kill() {
      done.push(`kill ${name}`)
      this.up = false
      this.frozen = false
    },
    async startEmpty() {
      done.push(`start ${name}`)
      this.up = true
    },
    async freeze(on: boolean) {
      done.push(`${on ? 'stop' : 'let go'} ${name}`)
      this.frozen = on
    },
  }))
  const rules = new HeldRules()
  const cluster = {
    nodes,
    rules,
    named: (name: string) => nodes.find((one) => one.name === name),
    placeOf: ({ name }: { readonly name: string }) => ({ id: name }),
  }
  const roles = {
    primary: nodes[0],
    nodes,
    note: async ({ name }: { readonly name: string }) => void done.push(`note ${name}`),
    cameBackEmpty: ({ name }: { readonly name: string }) => void done.push(`empty ${name}`),
    goesOn: () => {},
  }
  const cutConsumers = async (machines: readonly string[], on: boolean) =>
    void done.push(`${on ? 'cut' : 'uncut'} consumers from ${machines.join()}`)
  return { store: new ClusterStore({ cluster, roles, cutConsumers } as never), done, rules, nodes }
}

const stop = { do: 'stop-machine', machine: 'redis-1a', withDisk: false } as const
const start = { do: 'start-machine', machine: 'redis-1a' } as const
const stall = (on: boolean) => ({ do: 'stall', machine: 'redis-1a', on }) as const
const cut = (what: 'cut-off' | 'rejoin', machines: string[], others: string[], consumersToo = false) =>
  ({ do: what, machines, others, consumersToo }) as const

describe('a node', () => {
  it('is down from its kill until its next start, and its data are recorded before the kill', async () => {
    const { store, done } = lab()
    expect(await Promise.all([store.carryOut(stop), store.carryOut(stop)])).toEqual([true, false])
    expect(store.primary.up).toBe(false)
    await store.carryOut(start)
    expect(store.primary.up).toBe(true)
    expect(done).toEqual(['note redis-1a', 'kill redis-1a', 'empty redis-1a', 'start redis-1a'])
  })

  it('is not started after the end of its run', async () => {
    const { store, done } = lab()
    await store.carryOut(stop)
    store.close()
    expect(await store.carryOut(start)).toBe(false)
    expect(done).toEqual(['note redis-1a', 'kill redis-1a'])
  })

  it('can be paused once until it resumes, but not while it is down', async () => {
    const { store, done } = lab()
    expect([await store.carryOut(stall(true)), await store.carryOut(stall(true))]).toEqual([true, false])
    expect(await store.carryOut(stall(false))).toBe(true)
    await store.carryOut(stop)
    expect(await store.carryOut(stall(true))).toBe(false)
    expect(done.slice(0, 3)).toEqual(['note redis-1a', 'stop redis-1a', 'let go redis-1a'])
  })

  it('is not paused if it is killed while its data are read for the pause', async () => {
    const { store, done, nodes } = lab()
    expect(await Promise.all([store.carryOut(stall(true)), store.carryOut(stop)])).toEqual([false, true])
    await store.carryOut(start)
    expect(nodes[0]!.frozen).toBe(false)
    expect(done).not.toContain('stop redis-1a')
  })

  it('is reported if it ended without a fault', async () => {
    const { store, nodes } = lab()
    await store.carryOut(stop)
    await expect(store.look()).resolves.toBeUndefined()
    nodes[3]!.machine.isAlive = async () => false
    await expect(store.look()).rejects.toThrow('the node redis-2b: it ended during the run')
  })
})

describe('a paused node', () => {
  it('is paused by one fault, even if another one strikes while its data are read', async () => {
    const { store, done, nodes } = lab()
    expect(await Promise.all([store.carryOut(stall(true)), store.carryOut(stall(true))])).toEqual([true, false])
    expect(nodes[0]!.frozen).toBe(true)
    expect(done).toEqual(['note redis-1a', 'stop redis-1a'])
  })

  it('stays paused after a kill and a restart, until the fault that paused it heals', async () => {
    const { store, done, nodes } = lab()
    await store.carryOut(stall(true))
    await store.carryOut(stop)
    await store.carryOut(start)
    // The store pauses the node again after its restart. A second pause therefore does not strike.
    expect(nodes[0]!.frozen).toBe(true)
    expect(await store.carryOut(stall(true))).toBe(false)
    expect(await store.carryOut(stall(false))).toBe(true)
    expect(nodes[0]!.frozen).toBe(false)
    expect(done.slice(-3)).toEqual(['start redis-1a', 'stop redis-1a', 'let go redis-1a'])
  })
})

describe('a start during the end of the run', () => {
  it('is undone when the store closes: the server is ended with the others', async () => {
    const { store, done, nodes } = lab()
    await store.carryOut(stop)
    let goOn: () => void = () => {}
    const startEmpty = nodes[0]!.startEmpty
    nodes[0]!.startEmpty = async function () {
      await new Promise<void>((resolve) => {
        goOn = resolve
      })
      return startEmpty.call(this)
    }
    const started = store.carryOut(start)
    const closed = Promise.resolve(store.close()).then(() => void done.push('closed'))
    await new Promise((resolve) => setImmediate(resolve))
    goOn()
    await closed
    expect(await started).toBe(false)
    expect(done.slice(-2)).toEqual(['start redis-1a', 'closed'])
  })

  it('does not fail if the node is ended first', async () => {
    const { store, nodes } = lab()
    await store.carryOut(stop)
    nodes[0]!.startEmpty = async () => {
      await new Promise((resolve) => setImmediate(resolve))
      throw new Error('it does not start: it ended')
    }
    const started = store.carryOut(start)
    await store.close()
    expect(await started).toBe(false)
  })
})

describe('nodes that are cut off', () => {
  it('are unreachable for the nodes that the fault lists, and for consumers if `consumersToo`, until every such fault has healed', async () => {
    const { store, done, rules } = lab()
    expect(await store.carryOut(cut('cut-off', ['redis-1a'], ['redis-1b', 'redis-2a'], true))).toBe(true)
    expect(await store.carryOut(cut('cut-off', ['redis-1a'], ['redis-1b']))).toBe(false)
    expect(await store.carryOut(cut('cut-off', ['redis-1a'], ['redis-1b', 'redis-2b']))).toBe(true)
    expect(rules.reach('redis-1a', 'redis-2a')).toBe(false)
    expect(rules.reach('redis-2b', 'redis-2a')).toBe(true)
    expect(await store.carryOut(cut('rejoin', ['redis-1a'], ['redis-1b', 'redis-2a'], true))).toBe(false)
    expect([rules.reach('redis-1a', 'redis-1b'), rules.reach('redis-1a', 'redis-2a')]).toEqual([false, true])
    expect(await store.carryOut(cut('rejoin', ['redis-1a'], ['redis-1b', 'redis-2b']))).toBe(true)
    expect(done).toEqual(['cut consumers from redis-1a', 'uncut consumers from redis-1a'])
  })
})

it('an order that nodes of a Cluster cannot carry out is an error', async () => {
  const { store } = lab()
  await expect(store.carryOut({ do: 'flush-keys', machine: 'redis-1a' })).rejects.toThrow('flush-keys is not supported')
})
