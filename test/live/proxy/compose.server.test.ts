/**
 * Runs docker-compose.yml if a container engine answers and has the images. Tests pull no image.
 */
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { Redis } from 'ioredis'
import { Toxiproxy } from 'toxiproxy-node-client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { encodeRun } from '../../../src/campaign/token/token.ts'
import { onceproof, temporaryFolder } from '../../cli/run-cli.ts'
import { needs, pathOf } from '../../needs/needs.ts'
import { recordedPartition } from '../recorded-partition.ts'
import { pause } from './line.ts'

const images = [process.env.REDIS_IMAGE ?? 'redis:7', process.env.TOXIPROXY_IMAGE ?? 'ghcr.io/shopify/toxiproxy:2.12.0']
const api = 'http://127.0.0.1:8474'
const compose = () => pathOf('compose').split(' ')

function run(...args: string[]): string {
  const [program, ...words] = compose()
  const env = { ...process.env, COMPOSE_PROJECT_NAME: `onceproof-test-${process.pid}` }
  const { status, stdout, stderr } = spawnSync(program!, [...words, ...args], { env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${pathOf('compose')} ${args.join(' ')}: ${stderr}`)
  return stdout
}

/** Polls until the result is not null. Rejects after 40 s. */
async function eventually<T>(look: () => Promise<T | null>): Promise<T> {
  for (const until = performance.now() + 40_000; performance.now() < until; await pause(100)) {
    const seen = await look().catch(() => null)
    if (seen !== null) return seen
  }
  throw new Error('nothing of the kind within 40 s')
}

interface ProxyThere {
  readonly name: string
  readonly toxics: readonly { readonly type: string }[]
}

const portOfPrimary = async (client: Redis) => {
  const [, port] = (await client.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'onceproof')) as string[]
  return Number(port)
}

const portOf = (address: string) => Number(address.slice(address.lastIndexOf(':') + 1))

needs({ docker: images, compose: true }).describe('the bench of docker-compose.yml', () => {
  const open: Redis[] = []
  const connect = (port: number) => {
    const client = new Redis(port, '127.0.0.1', { maxRetriesPerRequest: 1 })
    client.on('error', () => {})
    open.push(client)
    return client
  }

  beforeAll(async () => {
    // Starts their dependencies, too. PostgreSQL has another image and is left out.
    run('up', '-d', 'sentinel-1', 'sentinel-2', 'sentinel-3')
    // Each Sentinel knows the other two and both replicas.
    for (const port of [21011, 21012, 21013])
      await eventually(async () => {
        const [sentinels, replicas] = await Promise.all(
          ['SENTINELS', 'REPLICAS'].map(
            (what) => connect(port).call('SENTINEL', what, 'onceproof') as Promise<unknown[]>,
          ),
        )
        return sentinels!.length === 2 && replicas!.length === 2 ? true : null
      })
  }, 120_000)

  afterAll(() => {
    for (const client of open) client.disconnect()
    run('down', '-v')
  })

  const live = (...args: string[]) =>
    onceproof(['live', '--with', 'compose', '--impl', 'reference', '--margin', '60000', '--no-html', ...args])
  const proxiesThere = async () =>
    Object.values((await (await fetch(`${api}/proxies`)).json()) as Record<string, ProxyThere>)
  /** The links of consumers that exist during the work, with the toxics seen on each. */
  async function linksDuring(work: Promise<unknown>): Promise<Map<string, Set<string>>> {
    const seen = new Map<string, Set<string>>()
    let runs = true
    void work.finally(() => {
      runs = false
    })
    while (runs) {
      for (const { name, toxics } of await proxiesThere()) {
        const [link] = /consumer-.*/.exec(name) ?? []
        if (link === undefined) continue
        const kinds = seen.get(link) ?? new Set()
        seen.set(link, kinds)
        for (const toxic of toxics) kinds.add(toxic.type)
      }
      await pause(20)
    }
    return seen
  }

  it('live sends every link through its Toxiproxy, including that of the sink, and leaves none there', async () => {
    const going = live('--scenario', 'network-partition', '--run', '92', '--json')
    const links = await linksDuring(going)
    const { stdout } = await going
    const [pair] = JSON.parse(stdout).pairs
    expect(pair.live.on).toMatch(/^compose: Redis \S+, under the key prefix \S+, Toxiproxy \d\S+$/)
    expect([...links.keys()].sort()).toEqual([1, 2].flatMap((at) => [`consumer-${at}-sink`, `consumer-${at}-store-1`]))
    expect([...links.values()].some((kinds) => kinds.has('latency'))).toBe(true)
    expect(pair.faults.partition).toBeGreaterThan(0)
    expect(pair.invariants['at-most-once'].verdict).toBe('valid')
    expect((await proxiesThere()).filter(({ name }) => name.startsWith('onceproof-'))).toEqual([])
  })

  it('replay-live confirms a partition through its Toxiproxy, on its Redis, without leftovers', async () => {
    const redis = connect(22001)
    await redis.set('left-by-others', 'x')
    const cwd = temporaryFolder()
    fs.writeFileSync(`${cwd}/run.json`, encodeRun(recordedPartition))
    const going = onceproof(['replay-live', 'run.json', '--with', 'compose'], { cwd })
    const links = await linksDuring(going)
    const { code, stdout } = await going
    expect(stdout).toMatch(
      /^confirmed on compose: Redis \S+, emptied for each run, Toxiproxy \d\S+: (\d+) of \1 steps/m,
    )
    expect(code).toBe(1)
    expect([...links.keys()].sort()).toEqual(['consumer-1-sink', 'consumer-1-store-1'])
    expect(await redis.dbsize()).toBe(0)
  })

  it('live uses the built-in proxy on request', async () => {
    const going = live('--scenario', 'competing-consumers', '--run', '0', '--proxy', 'builtin', '--json')
    const links = await linksDuring(going)
    const [pair] = JSON.parse((await going).stdout).pairs
    expect(pair.live.on).toMatch(/, built-in proxy$/)
    expect([...links.keys()]).toEqual([])
  })

  it('an outside client follows a failover to the announced address, and the old primary returns as a replica', async () => {
    const sentinel = connect(21012)
    const client = new Redis({
      sentinels: [21011, 21012, 21013].map((port) => ({ host: '127.0.0.1', port })),
      name: 'onceproof',
      maxRetriesPerRequest: 0,
      retryStrategy: () => 100,
    })
    client.on('error', () => {})
    open.push(client)
    const before = await eventually(() => portOfPrimary(sentinel))
    await eventually(() => client.set('key', 'before'))
    expect(await client.wait(2, 2000)).toBe(2)

    const toxiproxy = new Toxiproxy(api)
    const proxies = Object.values(await toxiproxy.getAll())
    const hidden = proxies.find((proxy) => portOf(proxy.listen) === before)!
    await hidden.update({ enabled: false, listen: hidden.listen, upstream: hidden.upstream })
    await eventually(() => client.set('key', 'after'))
    const after = await portOfPrimary(sentinel)
    expect(after).not.toBe(before)
    expect(await connect(after).get('key')).toBe('after')
    // Behind its proxy, the old primary does not know about the failover.
    const direct = connect(portOf(hidden.upstream))
    expect(await direct.get('key')).toBe('before')

    await toxiproxy.reset()
    const role = await eventually(async () => {
      const [kind, host, port, state] = (await direct.call('ROLE')) as unknown[]
      return kind === 'slave' && state === 'connected' ? { host, port } : null
    })
    expect(role).toEqual({ host: '127.0.0.1', port: after })
    expect(await direct.get('key')).toBe('after')
  }, 120_000)

  it.each(['redis-1', 'toxiproxy'])('live reports in one line that %s is down, with exit code 2', async (service) => {
    run('kill', service)
    const { code, stderr } = await live('--scenario', 'competing-consumers')
    expect([code, stderr.split('\n').filter((line) => line.startsWith('onceproof: '))]).toEqual([
      2,
      [
        'onceproof: --with compose: the servers of docker-compose.yml do not answer; start them with `docker compose up --wait`',
      ],
    ])
  })
})
