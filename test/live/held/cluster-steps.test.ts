/** What nodes of a Cluster come to believe, brought about before its turn; the nodes are made up. */
import { afterEach, beforeEach, expect, it } from 'vitest'
import { ClusterSteps, type Seen } from '../../../src/live/held/cluster-steps.ts'
import type { HeldCluster } from '../../../src/live/held/held-cluster.ts'
import type { NodeView } from '../../../src/run/store-steps.ts'

const view: NodeView = { state: 'ok', shards: [{ owner: 'redis-1a', replicas: [] }], failing: [] }
const knows = (server: string): Seen => ({ what: 'knows', server, view, seen: 'told' })
const [first, second] = [knows('redis-1a'), knows('redis-2a')]

/** `redis-2a` is gone as soon as somebody looks at it, as when the run is cleared away. */
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

it('leaves no error behind of a step that was begun beside another and whose turn never comes', async () => {
  await lab().know([first, second])
  await settled()
  expect(unhandled).toEqual([])
})

it('tells that error where the turn of the step comes', async () => {
  const steps = lab()
  await steps.know([first, second])
  await settled()
  await expect(steps.know([second])).rejects.toThrow('Connection is closed.')
})
