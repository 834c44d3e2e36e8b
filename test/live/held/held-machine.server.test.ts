/** A node of a Cluster that comes back with a part of its data. The node is real. */
import fs from 'node:fs'
import path from 'node:path'
import { freePort } from 'test-servers'
import { afterAll, expect, it } from 'vitest'
import type { HeldLink } from '../../../src/live/held/held-link.ts'
import { HeldMachine } from '../../../src/live/held/held-machine.ts'
import { eventually } from '../../../src/live/servers/asking.ts'
import { describeLive, type Lab } from '../lab.ts'

/** The node serves all slots. */
async function lonelyNode({ directory }: Lab): Promise<HeldMachine> {
  const [port, busPort] = [await freePort(), await freePort()]
  const setting = { port, isOfCluster: true, binary: 'redis-server', directory }
  const config = ['save ""', 'appendonly no', 'cluster-enabled yes', 'cluster-config-file nodes.conf']
  const node = new HeldMachine('redis-1a', 'redis', {} as HeldLink, setting, [...config, `cluster-port ${busPort}`])
  const alone = `${'1a'.repeat(20)} 127.0.0.1:${port}@${busPort} myself,master - 0 0 1 connected 0-16383\n`
  fs.writeFileSync(path.join(node.folder, 'nodes.conf'), `${alone}vars currentEpoch 1 lastVoteEpoch 0\n`)
  await node.start()
  await eventually(() => serves(node), 'the node', 'it does not serve')
  return node
}

const serves = async (node: HeldMachine) => String(await node.call('CLUSTER', 'INFO')).includes('cluster_state:ok')

describeLive('a node of a Cluster that does not serve yet', (lab) => {
  let node: HeldMachine | null = null
  afterAll(() => node?.kill())

  it('has exactly the records that it was started with, with their times to live', async () => {
    node = await lonelyNode(lab)
    const expireAtMs = Date.now() + 60_000
    await node.call('SET', 'order-1', 'done', 'PXAT', String(expireAtMs))
    await node.call('SET', 'order-2', 'done')
    const before = await node.records()
    expect([...before.keys()].sort()).toEqual(['order-1', 'order-2'])
    await node.kill()
    await node.startWith(new Map([['order-1', before.get('order-1')!]]))
    expect(await serves(node)).toBe(false)
    expect([...(await node.records())]).toEqual([['order-1', { ...before.get('order-1'), expireAtMs }]])
    // The data of the start are not on its disk.
    await node.kill()
    await node.startWith(new Map())
    expect((await node.records()).size).toBe(0)
  })
})

describeLive('a node of a Cluster that does not know the owner of a slot', (lab) => {
  let node: HeldMachine | null = null
  afterAll(() => node?.kill())

  it('returns its records once it knows the owner', async () => {
    node = await lonelyNode(lab)
    await node.call('SET', 'order-1', 'done')
    const slot = String(await node.call('CLUSTER', 'KEYSLOT', 'order-1'))
    await node.call('CLUSTER', 'DELSLOTS', slot)
    let reported = false
    const records = node.records().finally(() => {
      reported = true
    })
    records.catch(() => {})
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(reported).toBe(false)
    await node.call('CLUSTER', 'ADDSLOTS', slot)
    expect([...(await records).keys()]).toEqual(['order-1'])
  })

  it('returns its records even if it forgets the owner between two questions', async () => {
    const slot = String(await node!.call('CLUSTER', 'KEYSLOT', 'order-1'))
    const call = node!.call.bind(node!)
    let forgets = true
    node!.call = async (command, ...args) => {
      const answer = await call(command, ...args)
      if (command === 'KEYS' && forgets) await call('CLUSTER', 'DELSLOTS', slot)
      else if (command === 'CLUSTER' && !forgets) await call('CLUSTER', 'ADDSLOTS', slot).catch(() => {})
      if (command === 'KEYS') forgets = false
      return answer
    }
    expect([...(await node!.records()).keys()]).toEqual(['order-1'])
    node!.call = call
  })

  it('is reported if it does not learn of the owner', async () => {
    await node!.call('CLUSTER', 'DELSLOTS', '0')
    const records = node!.records(300)
    await expect(records).rejects.toThrow('the node redis-1a: it knows no node for some of the slots within 300 ms')
  })
})

describeLive('the records of a server', (lab) => {
  let server: HeldMachine | null = null
  afterAll(() => server?.kill())

  it('are those of keys that still exist after they were listed', async () => {
    const setting = { port: await freePort(), isOfCluster: false, binary: 'redis-server', directory: lab.directory }
    server = new HeldMachine('redis-1', 'redis', {} as HeldLink, setting, ['save ""', 'appendonly no'])
    await server.start()
    await server.call('MSET', 'order-1', 'done', 'order-2', 'done', 'order-3', 'done')
    const call = server.call.bind(server)
    server.call = async (command, ...args) => {
      // The key is deleted between the reads of its value and its deadline. It must not become a
      // key without expiry.
      if (command === 'PEXPIRETIME' && args[0] === 'order-3') await call('DEL', 'order-3')
      const answer = await call(command, ...args)
      if (command === 'KEYS') await call('DEL', 'order-2')
      return answer
    }
    expect([...(await server.records()).keys()]).toEqual(['order-1'])
  })
})

describeLive('a server that is killed while it starts', (lab) => {
  let server: HeldMachine | null = null
  afterAll(() => server?.kill())

  it('stays down, and is not dialed', async () => {
    const setting = { port: await freePort(), isOfCluster: false, binary: 'redis-server', directory: lab.directory }
    server = new HeldMachine('redis-1', 'redis', {} as HeldLink, setting, ['save ""', 'appendonly no'])
    const { machine } = server
    const start = machine.start.bind(machine)
    let killed: Promise<void> | null = null
    // It answers, but no one knows of it yet.
    machine.start = async () => {
      await start()
      killed = server!.kill()
    }
    await server.start()
    await killed
    expect([server.up, await machine.isAlive()]).toEqual([false, false])
  })
})

describeLive('each record of a server', (lab) => {
  let server: HeldMachine | null = null
  afterAll(() => server?.kill())

  it('is serialized once, whatever it holds', async () => {
    const setting = { port: await freePort(), isOfCluster: false, binary: 'redis-server', directory: lab.directory }
    server = new HeldMachine('redis-1', 'redis', {} as HeldLink, setting, ['save ""', 'appendonly no'])
    await server.start()
    await server.call('SET', 'text', 'done')
    await server.call('RPUSH', 'list', 'done')
    await server.call('HSET', 'hash', 'field', 'done')
    expect([...(await server.records()).keys()].sort()).toEqual(['hash', 'list', 'text'])
    expect((await server.info('commandstats')).get('cmdstat_dump')).toMatch(/^calls=3,/)
  })
})

describeLive('the data of two servers', (lab) => {
  const servers: HeldMachine[] = []
  afterAll(() => Promise.all(servers.map((server) => server.kill())))

  it('are equal if they were written in the same order, however large, and differ if one word differs', async () => {
    for (const name of ['redis-1', 'redis-2']) {
      const setting = { port: await freePort(), isOfCluster: false, binary: 'redis-server', directory: lab.directory }
      const server = new HeldMachine(name, 'redis', {} as HeldLink, setting, ['save ""', 'appendonly no'])
      servers.push(server)
      await server.start()
      const words = Array.from({ length: 20 }, (_, at) => `${at} ${'x'.repeat(100)}`)
      await server.call('HSET', 'hash', ...words)
      await server.call('SADD', 'set', ...words)
      await server.call('RPUSH', 'list', ...words)
    }
    const [one, other] = servers as [HeldMachine, HeldMachine]
    const contentsOf = async (server: HeldMachine) =>
      [...(await server.records())].map(([key, { content }]) => [key, content]).sort()
    const contents = await contentsOf(one)
    expect(contents.map(([key]) => key)).toEqual(['hash', 'list', 'set'])
    expect(await contentsOf(other)).toEqual(contents)
    // Each server serializes them in its own order, which the comparison must ignore.
    const dumped = async (server: HeldMachine) => (await server.records()).get('hash')!.dump
    expect(await dumped(other)).not.toEqual(await dumped(one))
    await other.call('HSET', 'hash', `0 ${'x'.repeat(100)}`, 'another')
    await other.call('RPOP', 'list')
    const differ = (await contentsOf(other)).filter((pair, at) => pair[1] !== contents[at]![1])
    expect(differ.map(([key]) => key)).toEqual(['hash', 'list'])
  })
})
