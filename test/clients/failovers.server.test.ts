/**
 * Each client follows a failover of real and of simulated servers, with Sentinels and in a Cluster.
 */

import { clusterHost, clusterNames, RealCluster } from 'test-servers'
import { expect, it, onTestFinished } from 'vitest'
import type { Implementation } from '../../src/contract/api/implementation.ts'
import type { RedisPlan } from '../../src/contract/api/plan.ts'
import { describeOnReplicas } from '../impl/real-replicas.ts'
import { needs, pathOf } from '../needs/needs.ts'
import { done, play, sleep } from '../sim/world-lab.ts'
import type { Address, Client } from './client.ts'
import { clients } from './clients.ts'

const key = 'order-1'
const runId = "return string.match(redis.call('INFO', 'server'), 'run_id:(%w+)')"
const role = "return string.match(redis.call('INFO', 'replication'), 'role:(%w+)')"

/**
 * Writes, loses the primary of the key, and continues with the promoted server while it is open.
 */
async function follow(
  client: Client,
  kill: () => unknown,
  log: (line: string) => void,
  isOpen: () => boolean,
): Promise<void> {
  await client.connect()
  log(`set ${await client.set(key, 'before')}`)
  const first = await client.eval(runId, key)
  await sleep(200)
  await kill()
  for (;;) {
    const now = await client.eval(runId, key).catch(() => first)
    if (now !== first) break
    if (!isOpen()) throw new Error('it was closed before another primary answered')
    await sleep(50)
  }
  log(`get ${await client.get(key)}`)
  log(`set ${await client.set(key, 'after')}`)
  log(`get ${await client.get(key)}`)
  log(`role ${await client.eval(role, key)}`)
}

const wanted = ['set OK', 'get before', 'set OK', 'get after', 'role master']

const plan: RedisPlan = {
  replicas: 1,
  sentinels: 3,
  downAfterMs: 500,
  failoverTimeoutMs: 3000,
  keeps: 'nothing',
  minReplicasToWrite: 0,
  fullSyncMs: 0,
  loadingMs: 0,
}

/** How long a simulated primary is down. */
const backAfterMs = 20_000

/** Runs in a simulated world whose primary dies after a second. */
async function simulated(shape: 'sentinel' | 'cluster', open: (addresses: readonly Address[], name: string) => Client) {
  const lines: string[] = []
  let tookMs = Number.NaN
  const adapter: Pick<Implementation, 'create'> = {
    create: ({ redis: { options, nodes } }) => ({
      async handle() {
        const { sentinels, name } = options as { sentinels?: Address[]; name?: string }
        const client = open(sentinels ?? nodes, name ?? '')
        const startMs = Date.now()
        await follow(
          client,
          () => {},
          (line) => lines.push(line),
          () => true,
        )
        client.close()
        tookMs = Date.now() - startMs
        return done
      },
      close() {},
    }),
  }
  const redis = shape === 'sentinel' ? plan : { ...plan, shards: 3, sentinels: 0, failoverTimeoutMs: 0 }
  const death = { kind: 'redis-restart', when: { at: 'time', ms: 1000 }, healAfterMs: backAfterMs } as const
  const messages = [{ key, payload: null, publishAtMs: 0 }]
  const played = await play(adapter, { redis, messages, faults: [death], visibilityMs: 60_000 })
  expect(played.unsupported).toEqual([])
  expect(played.of('topology').some(({ what }) => what === 'promoted')).toBe(true)
  return { lines, waitedForIt: tookMs > backAfterMs }
}

async function real(client: Client, kill: () => unknown): Promise<string[]> {
  const lines: string[] = []
  let isOpen = true
  const close = () => {
    if (isOpen) client.close()
    isOpen = false
  }
  onTestFinished(close)
  await follow(
    client,
    kill,
    (line) => lines.push(line),
    () => isOpen,
  )
  close()
  return lines
}

describeOnReplicas('with Sentinels, on real and simulated servers,', (deployment) => {
  for (const [name, { sentinel, lacks }] of Object.entries(clients)) {
    if (sentinel === undefined || lacks.Sentinel !== undefined)
      it(`${name} does not follow a failover: ${lacks.Sentinel}`, () => {
        expect(sentinel).toBeUndefined()
        expect(lacks.Sentinel).toBeDefined()
      })
    else
      it(`${name} follows a failover`, async () => {
        const primary = await deployment.start()
        await deployment.startReplica(primary)
        const { port } = await deployment.startSentinel(primary, 1)
        const client = sentinel([{ host: '127.0.0.1', port }], 'main')
        const lines = await real(client, () => primary.kill())
        expect(await simulated('sentinel', sentinel)).toEqual({ lines, waitedForIt: false })
        expect(lines).toEqual(wanted)
      })
  }
})

needs({ redis: '7.0' }).describe('in a Cluster, on real and simulated servers,', () => {
  for (const [name, { cluster, leavesDeadNodes }] of Object.entries(clients))
    it(`${name} follows a failover${leavesDeadNodes ? '' : ', once the node that died is back'}`, async () => {
      const servers = await RealCluster.start(pathOf('redis'))
      let isOver = false
      let back: Promise<void> | undefined
      onTestFinished(async () => {
        isOver = true
        await back
        await servers.stop()
      })
      const info = () => Promise.all(clusterNames.map((node) => servers.ask(node, ['CLUSTER', 'INFO'])))
      while (!(await info()).every((text) => text.includes('cluster_state:ok'))) await sleep(50)
      const slot = Number((await servers.ask('a', ['CLUSTER', 'KEYSLOT', key])).slice(1))
      const primary = (['a', 'b', 'c'] as const)[Math.floor((slot * 3) / 16_384)]!
      // A replica that has never reached its primary is not promoted.
      while (!(await servers.ask(primary, ['INFO', 'replication'])).includes('state=online')) await sleep(50)
      const nodes = clusterNames.map((node) => ({ host: clusterHost(node), port: servers.port }))
      let isBack = false
      const bringBack = async () => {
        while (!isOver && !(await servers.ask(`${primary}1`, ['INFO', 'replication'])).includes('role:master'))
          await sleep(50)
        await sleep(2000)
        if (isOver) return
        isBack = true
        await servers.revive(primary)
      }
      const lines = await real(cluster(nodes), async () => {
        await servers.kill(primary)
        if (!leavesDeadNodes) back = bringBack()
      })
      expect(await simulated('cluster', cluster)).toEqual({ lines, waitedForIt: isBack })
      expect(lines).toEqual(wanted)
    })
})
