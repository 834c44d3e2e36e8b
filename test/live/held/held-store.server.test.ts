/**
 * Which server a fault of the primary strikes, and how a write to a replaced server is reported.
 */

import { freePort } from 'test-servers'
import { afterAll, describe, expect, it } from 'vitest'
import type { HeldLink } from '../../../src/live/held/held-link.ts'
import { HeldMachine } from '../../../src/live/held/held-machine.ts'
import { HeldStore } from '../../../src/live/held/held-store.ts'
import { describeLive } from '../lab.ts'

describe('the primary of a Cluster', () => {
  const nodes = ['redis-1a', 'redis-2a'].map((name) => ({ name, runs: 'redis', up: true }))
  const deployment = {
    nodes,
    leaderOf: (node: object) => node,
    named: (name: string) => nodes.find((one) => one.name === name),
  }

  it.each([
    [undefined, 'redis-1a'],
    ['redis-2a', 'redis-2a'],
  ])('is in the shard of the last deployment write (%s), until a consumer writes: %s', (deployedTo, name) => {
    const setting = { deployment, deployedTo, returns: [] }
    const store = new HeldStore(setting as unknown as ConstructorParameters<typeof HeldStore>[0])
    expect(store.primary.name).toBe(name)
  })
})

describeLive('a write to a replaced server', (lab) => {
  let replaced: HeldMachine | null = null
  afterAll(() => replaced?.kill())

  async function reported(...args: string[]): Promise<object[]> {
    const { directory } = lab
    if (replaced === null) {
      const setting = { port: await freePort(), isOfCluster: false, binary: 'redis-server', directory }
      replaced = new HeldMachine('redis-2', 'redis', {} as HeldLink, setting, ['save ""'])
      await replaced.start()
    }
    const facts: object[] = []
    const leads = { name: 'redis-1', runs: 'redis' }
    const store = new HeldStore({
      deployment: { nodes: [leads, replaced], leaderOf: () => leads },
      recorder: { fact: (fact: object) => void facts.push(fact) },
      returns: [],
    } as unknown as ConstructorParameters<typeof HeldStore>[0])
    await store.wrote(replaced, args)
    return facts
  }

  const lost = { type: 'data-lost', node: 'redis-2', cause: 'split-brain' }

  it.each([
    [['SET', 'order-1', 'done'], ['order-1']],
    [
      ['MSET', 'order-1', 'done', 'order-2', 'done'],
      ['order-1', 'order-2'],
    ],
    [
      ['EVALSHA', 'a'.repeat(40), '2', 'order-1', 'fence', 'done'],
      ['order-1', 'fence'],
    ],
  ])('is lost for each key in it: %j', async (args, redisKeys) => {
    expect(await reported(...args)).toEqual([{ ...lost, redisKeys }])
  })

  it('may be lost for every key if it has none', async () => {
    expect(await reported('EXEC')).toEqual([lost])
  })
})
