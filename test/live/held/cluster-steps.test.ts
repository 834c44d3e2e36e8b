/** Brings Cluster nodes to a view before its step. The nodes are fakes. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { NodeView } from '../../../src/contract/results/step.ts'
import { ClusterSteps, type Seen } from '../../../src/live/held/cluster-steps.ts'
import type { HeldCluster } from '../../../src/live/held/held-cluster.ts'

const view: NodeView = { state: 'ok', shards: [{ owner: 'redis-1a', replicas: [] }], failing: [] }
const knows = (server: string): Seen => ({ kind: 'knows', server, view, seen: 'told' })
const [first, second] = [knows('redis-1a'), knows('redis-2a')]

/** `redis-2a` fails at the first request, as when the run is cleaned up. */
function lab(): ClusterSteps {
  const cluster = {
    bus: { believes: () => {}, isolate: () => {} },
    rules: { bare: () => {} },
    named: (name: string) => ({ name }),
    view: async ({ name }: { readonly name: string }) => {
      if (name === 'redis-2a') throw new Error('Connection is closed.')
      return view
    },
  }
  return new ClusterSteps(cluster as unknown as HeldCluster, async (look) => void (await look()))
}

const unhandled: unknown[] = []
const note = (error: unknown): void => void unhandled.push(error)
let before: NodeJS.UnhandledRejectionListener[] = []

beforeEach(() => {
  unhandled.length = 0
  before = process.listeners('unhandledRejection')
  process.removeAllListeners('unhandledRejection')
  process.on('unhandledRejection', note)
})
afterEach(() => {
  process.off('unhandledRejection', note)
  for (const one of before) process.on('unhandledRejection', one)
})

const settled = () => new Promise((resolve) => setTimeout(resolve, 20))

it('leaves no unhandled error of a step that was begun early and never comes', async () => {
  await lab().know([first, second])
  await settled()
  expect(unhandled).toEqual([])
})

it('rejects with the error of a step that was begun early when it comes', async () => {
  const steps = lab()
  await steps.know([first, second])
  await settled()
  await expect(steps.know([second])).rejects.toThrow('Connection is closed.')
})

it('repeats the order to take over if the node refused, but not if it has taken over', async () => {
  const asked: string[] = []
  let role = 'slave'
  const node = {
    info: async () => new Map([['role', role]]),
    call: async (...words: string[]) => {
      if (words[1] === 'INFO') return 'cluster_my_epoch:4'
      asked.push(words.join(' '))
      if (asked.length === 1) throw new Error("ERR I'm a replica but my master is unknown to me")
      role = 'master'
      return 'OK'
    },
  }
  const claims = vi.fn()
  const until = async (look: () => Promise<boolean>): Promise<void> => {
    while (!(await look().catch(() => false))) await settled()
  }
  const steps = new ClusterSteps({ bus: { claims }, named: () => node } as unknown as HeldCluster, until)
  await steps.promote({ kind: 'promoted', server: 'redis-1b' })
  expect(asked).toEqual(Array(2).fill('CLUSTER FAILOVER TAKEOVER'))
  expect(claims).toHaveBeenCalledExactlyOnceWith('redis-1b', 4)
})
