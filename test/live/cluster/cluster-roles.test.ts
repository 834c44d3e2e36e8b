/** Which node leads a shard, and what a change of leader loses. The nodes are fakes. */
import { describe, expect, it } from 'vitest'
import type { Fact } from '../../../src/contract/api/history.ts'
import { ClusterRoles } from '../../../src/live/cluster/cluster-roles.ts'
import type { BusMessage } from '../../../src/live/held/bus-message.ts'
import type { HeldMachine } from '../../../src/live/held/held-machine.ts'

type Held = Record<string, string>

function lab(held: Record<string, Held> = {}) {
  const nodes = ['redis-1a', 'redis-1b', 'redis-2a', 'redis-2b'].map((name) => ({
    name,
    up: true,
    frozen: false,
    records: async () =>
      new Map(Object.entries(held[name] ?? {}).map(([key, content]) => [key, { content, expireAtMs: -1 }] as const)),
  }))
  const shardOf = ({ name }: { readonly name: string }) => Number(name[6]) - 1
  const named = (name: string) => nodes.find((one) => one.name === name) as unknown as HeldMachine
  const cluster = {
    nodes,
    named,
    placeOf: (node: { readonly name: string }) => ({ shard: shardOf(node), leads: node.name.endsWith('a') }),
    shardOf: (node: { readonly name: string }) => nodes.filter((one) => shardOf(one) === shardOf(node)),
  }
  const facts: Fact[] = []
  const recorder = { fact: (fact: Fact) => void facts.push(fact) }
  const failures: unknown[] = []
  const roles = new ClusterRoles(cluster as never, recorder as never, (error) => void failures.push(error))
  const says = (name: string, more: Partial<BusMessage>) =>
    roles.said(name, { stands: null, primary: null, servesSlots: true, configEpoch: 1, ...more } as BusMessage)
  const lost = () =>
    facts.flatMap((fact) => (fact.type === 'data-lost' ? [[fact.node, fact.cause, fact.redisKeys]] : []))
  return { roles, named, says, lost, facts, failures, held }
}

/** Waits until the data that a promotion reads are there. */
const read = () => new Promise((resolve) => setImmediate(resolve))

describe('a shard', () => {
  it('is led by the node that claims its slots with the newest epoch, while older claims are ignored', () => {
    const { roles, says, facts } = lab()
    says('redis-1b', { configEpoch: 3 })
    says('redis-1a', { configEpoch: 1 })
    says('redis-1b', { configEpoch: 3 })
    expect(roles.primary.name).toBe('redis-1b')
    expect(facts).toMatchObject([{ type: 'topology', what: 'promoted', node: 'redis-1b', other: 'redis-1a' }])
  })

  it('keeps its leader whatever replicas and nodes without slots report', () => {
    const { roles, says, facts } = lab()
    says('redis-1b', { configEpoch: 9, primary: 'an id' })
    says('redis-1b', { configEpoch: 9, servesSlots: false })
    expect([roles.primary.name, facts]).toEqual(['redis-1a', []])
  })

  it('counts as current if a client wrote there last', () => {
    const { roles, named } = lab()
    roles.changed(named('redis-2b'), 'set', 'k')
    roles.changed(named('redis-2a'), 'set', 'onceproof-probe-1')
    roles.changed(named('redis-2a'), 'expired', 'k')
    expect(roles.primary.name).toBe('redis-1a')
    roles.changed(named('redis-2a'), 'set', 'k')
    expect(roles.primary.name).toBe('redis-2a')
    expect(roles.nodes.map(({ name }) => name)).toEqual(['redis-2a', 'redis-2b', 'redis-1a', 'redis-1b'])
  })
})

describe('a loss by failover', () => {
  it('has what the old primary held, but its successor lacked or had with another value at the election', async () => {
    const { says, lost, held, failures } = lab({
      'redis-1a': { same: '1', other: '2', none: '3', 'onceproof-probe-0': '4' },
      'redis-1b': { same: '1', other: 'old' },
    })
    says('redis-1b', { stands: 3 })
    await read()
    // Clients write to the successor as soon as it leads.
    held['redis-1b'] = { same: 'newer', other: '2', none: '3' }
    says('redis-1b', { configEpoch: 3 })
    await read()
    expect(lost()).toEqual([['redis-1a', 'failover', ['other', 'none']]])
    expect(failures).toEqual([])
  })

  it('has the recorded data of a node that no longer executes commands', async () => {
    const { roles, named, says, lost, held } = lab({ 'redis-1a': { mine: '1' }, 'redis-1b': {} })
    await roles.note(named('redis-1a'))
    held['redis-1a'] = {}
    says('redis-1b', { configEpoch: 3 })
    await read()
    expect(lost()).toEqual([['redis-1a', 'failover', ['mine']]])
  })

  it('has later writes to the old primary, until it follows', () => {
    const { roles, named, says, lost, facts } = lab()
    says('redis-1b', { configEpoch: 3 })
    roles.changed(named('redis-1a'), 'set', 'late')
    roles.changed(named('redis-1b'), 'set', 'fine')
    roles.synced('redis-1a', 'full')
    roles.changed(named('redis-1a'), 'set', 'replicated')
    expect(lost()).toEqual([['redis-1a', 'split-brain', ['late']]])
    expect(facts.at(-1)).toMatchObject({ type: 'topology', what: 'resynced', node: 'redis-1a' })
  })

  it('is empty if a node came back empty without a successor: the restart is the cause once it serves', async () => {
    const { roles, named, lost } = lab({ 'redis-1a': { mine: '1' }, 'redis-1b': { mine: '1' } })
    await roles.note(named('redis-1a'))
    await roles.note(named('redis-1b'))
    roles.cameBackEmpty(named('redis-1a'))
    roles.cameBackEmpty(named('redis-1b'))
    expect(lost()).toEqual([])
    roles.changed(named('redis-1a'), 'set', 'onceproof-probe-0')
    roles.changed(named('redis-1a'), 'set', 'onceproof-probe-0')
    expect(lost()).toEqual([['redis-1a', 'restart', ['mine']]])
  })

  it('has what the successor lacks, even if the old primary came back empty before', async () => {
    const { roles, named, says, lost, held } = lab({ 'redis-1a': { same: '1', none: '2' }, 'redis-1b': { same: '1' } })
    await roles.note(named('redis-1a'))
    held['redis-1a'] = {}
    roles.cameBackEmpty(named('redis-1a'))
    says('redis-1b', { configEpoch: 3 })
    await read()
    roles.changed(named('redis-1a'), 'set', 'onceproof-probe-0')
    expect(lost()).toEqual([['redis-1a', 'failover', ['none']]])
  })

  it('has the data of the first death if the node served no client between two deaths', async () => {
    const { roles, named, says, lost, held } = lab({ 'redis-1a': { mine: '1' } })
    await roles.note(named('redis-1a'))
    held['redis-1a'] = {}
    roles.cameBackEmpty(named('redis-1a'))
    await roles.note(named('redis-1a'))
    says('redis-1b', { configEpoch: 3 })
    await read()
    expect(lost()).toEqual([['redis-1a', 'failover', ['mine']]])
  })

  it('is empty if the successor had dropped its data for those of a primary that came back empty', async () => {
    const { roles, named, says, lost, held } = lab({ 'redis-1a': { mine: '1' }, 'redis-1b': { mine: '1' } })
    await roles.note(named('redis-1a'))
    held['redis-1a'] = {}
    says('redis-1b', { stands: 3 })
    roles.cameBackEmpty(named('redis-1a'))
    await read()
    held['redis-1b'] = {}
    roles.synced('redis-1b', 'full')
    says('redis-1b', { configEpoch: 3 })
    await read()
    expect(lost()).toEqual([['redis-1a', 'restart', ['mine']]])
  })

  it('has the data at death, even if a pause of the node ends after its return', async () => {
    const { roles, named, says, lost, held } = lab({ 'redis-1a': { mine: '1' } })
    await roles.note(named('redis-1a'))
    held['redis-1a'] = {}
    roles.cameBackEmpty(named('redis-1a'))
    roles.goesOn(named('redis-1a'))
    says('redis-1b', { configEpoch: 3 })
    await read()
    expect(lost()).toEqual([['redis-1a', 'failover', ['mine']]])
  })

  it('has what the old primary held until it followed, if it continued before it was replaced', async () => {
    const { roles, named, says, lost, held, failures } = lab({
      'redis-1a': { mine: '1', released: '2' },
      'redis-1b': {},
    })
    const records = named('redis-1a').records
    await roles.note(named('redis-1a'))
    roles.goesOn(named('redis-1a'))
    // By a command that was waiting.
    roles.changed(named('redis-1a'), 'del', 'released')
    held['redis-1a'] = { mine: '1' }
    named('redis-1a').records = async () => {
      // While the data are being read, they already belong to the successor, to which clients
      // write.
      roles.synced('redis-1a', 'full')
      held['redis-1a'] = { theirs: '3' }
      return records()
    }
    says('redis-1b', { configEpoch: 3 })
    await read()
    expect(lost()).toEqual([['redis-1a', 'failover', ['mine']]])
    expect(failures).toEqual([])
  })
})
