/**
 * A primary, two replicas and three Sentinels as processes of ours. Each server announces a proxy of its own, by which
 * replicas and Sentinels reach it: when that is closed, they lose it, as they lose a server that is partitioned away.
 * Consumers have roads of their own to every server (ioredis maps announced addresses to them by `natMap`), so that
 * they can still reach a primary that the others have lost.
 */
import fs from 'node:fs'
import path from 'node:path'
import { Redis } from 'ioredis'
import type { Proxy as ToxicProxy } from 'toxiproxy-node-client'
import { LiveProblem } from '../problem.ts'
import type { ProxySide } from '../stage.ts'
import type { Workplace } from '../workplace.ts'
import { freePort, RedisProcess } from './redis-process.ts'

export const primaryName = 'onceproof'
const servers = 3
const sentinels = 3
/** How long a primary must be silent before a Sentinel calls it down. */
const downAfterMs = 500
const failoverTimeoutMs = 3_000
const patienceMs = 15_000

interface Node {
  readonly name: string
  readonly machine: RedisProcess
  /** What it announces, and the proxy that listens there. */
  readonly announced: { readonly host: string; readonly port: number }
  readonly proxy: ToxicProxy
}

export class SentinelBench {
  #probing: Promise<void> = Promise.resolve()
  #probe = true
  #subscriber: Redis | null = null
  /** The longest stretch in which no primary took a write. */
  withoutPrimaryMs = 0

  private constructor(
    readonly nodes: readonly Node[],
    private readonly watchers: readonly RedisProcess[],
  ) {}

  /** Resolves when the Sentinels know both replicas. @throws LiveProblem */
  static async start(workplace: Workplace, binary: string, proxies: ProxySide): Promise<SentinelBench> {
    const started: { kill(): Promise<void> }[] = []
    try {
      const nodes: Node[] = []
      for (let at = 0; at < servers; at++)
        nodes.push(await startNode(at, nodes[0], workplace, binary, proxies, started))
      const watchers: RedisProcess[] = []
      for (let at = 0; at < sentinels; at++)
        watchers.push(await startSentinel(at, nodes[0]!, workplace, binary, started))
      const bench = new SentinelBench(nodes, watchers)
      await bench.#whenComplete()
      return bench
    } catch (error) {
      await Promise.all(started.map((one) => one.kill()))
      throw error
    }
  }

  get sentinels(): { host: string; port: number }[] {
    return this.watchers.map(({ host, port }) => ({ host, port }))
  }

  /** Tells whenever a Sentinel announces that another server is the primary. */
  async onSwitch(tell: (promoted: string, replaced: string) => void): Promise<void> {
    const client = this.#sentinelClient()
    this.#subscriber = client
    client.on('message', (_channel, text: string) => {
      const [, , from, , to] = text.split(' ').map(Number)
      const nameOf = (port?: number) => this.nodes.find(({ announced }) => announced.port === port)?.name ?? `${port}`
      tell(nameOf(to), nameOf(from))
    })
    await client.subscribe('+switch-master')
  }

  /** Writes through the Sentinels again and again, as a client that follows them would. */
  startProbing(): void {
    this.#probing = this.#probeLoop()
  }

  async #probeLoop(): Promise<void> {
    const client = this.#client({ maxRetriesPerRequest: 0, commandTimeout: 200, enableOfflineQueue: false })
    let lastMs = performance.now()
    while (this.#probe) {
      const took = await client.set('onceproof-probe', '1', 'PX', 60_000).catch(() => null)
      const nowMs = performance.now()
      if (took === 'OK') {
        this.withoutPrimaryMs = Math.max(this.withoutPrimaryMs, nowMs - lastMs)
        lastMs = nowMs
      } else if (client.status === 'ready') client.disconnect(true) // It hangs on a server that nobody reaches.
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    client.disconnect()
  }

  /** The server that the Sentinels call the primary now. */
  async primary(): Promise<Node> {
    const client = this.#sentinelClient()
    try {
      const [, port] = (await client.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', primaryName)) as string[]
      return this.nodes.find(({ announced }) => announced.port === Number(port)) ?? this.nodes[0]!
    } finally {
      client.disconnect()
    }
  }

  /** Replicas and Sentinels lose it, or find it again. */
  async hide({ proxy }: Node, hidden: boolean): Promise<void> {
    const { listen, upstream } = proxy
    await proxy.update({ listen, upstream, enabled: !hidden })
  }

  /** Makes it a replica of whoever is the primary now, and answers whose. */
  async demote({ machine, name }: Node): Promise<string> {
    const primary = await this.primary()
    // It was not replaced: the Sentinels had no majority, or no time.
    if (primary.machine === machine) return name
    const client = new Redis({ host: machine.host, port: machine.port, maxRetriesPerRequest: 1 })
    client.on('error', () => {})
    await client.call('REPLICAOF', primary.announced.host, String(primary.announced.port))
    // As a Sentinel does: clients find out that it is the primary no more.
    await client.call('CLIENT', 'KILL', 'TYPE', 'normal').finally(() => client.disconnect())
    return primary.name
  }

  async close(): Promise<void> {
    this.#probe = false
    this.#subscriber?.disconnect()
    await this.#probing
    await Promise.all([...this.nodes.map(({ machine }) => machine), ...this.watchers].map((one) => one.kill()))
    await Promise.allSettled(this.nodes.map(({ proxy }) => proxy.remove()))
  }

  #client(more: object): Redis {
    const client = new Redis({ sentinels: this.sentinels, name: primaryName, sentinelRetryStrategy: () => 50, ...more })
    client.on('error', () => {})
    return client
  }

  #sentinelClient(): Redis {
    const [{ host, port } = { host: '', port: 0 }] = this.watchers
    const client = new Redis({ host, port, maxRetriesPerRequest: 1 })
    client.on('error', () => {})
    return client
  }

  async #whenComplete(): Promise<void> {
    const until = performance.now() + patienceMs
    while (performance.now() < until) {
      if ((await Promise.all(this.watchers.map(knowsAll))).every(Boolean)) return
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    throw new LiveProblem(
      'the Sentinels',
      `they do not know both replicas within ${patienceMs} ms; try again on an idle machine`,
    )
  }
}

async function knowsAll({ host, port }: RedisProcess): Promise<boolean> {
  const client = new Redis({ host, port, maxRetriesPerRequest: 1 })
  client.on('error', () => {})
  try {
    const fields = (await client.call('SENTINEL', 'MASTER', primaryName)) as string[]
    const field = (name: string) => fields[fields.indexOf(name) + 1]
    const others = Number(field('num-other-sentinels')) === sentinels - 1
    return field('num-slaves') === String(servers - 1) && others && field('flags') === 'master'
  } catch {
    return false
  } finally {
    client.disconnect()
  }
}

type Started = { kill(): Promise<void> }[]

async function startNode(
  at: number,
  primary: Node | undefined,
  workplace: Workplace,
  binary: string,
  proxies: ProxySide,
  started: Started,
): Promise<Node> {
  const port = await freePort()
  // A folder of its own: a replica leaves what it was sent on its disk, and the next server there would begin with it.
  const folder = fs.mkdtempSync(path.join(workplace.folder, 'redis-'))
  const proxy = await proxies.toxiproxy.createProxy({
    ...{ name: `onceproof-${process.pid}-redis-${port}`, listen: proxies.listen(), upstream: `127.0.0.1:${port}` },
    enabled: true,
  })
  started.push({ kill: () => proxy.remove() })
  const announced = { host: '127.0.0.1', port: Number(proxy.listen.split(':').at(-1)) }
  const machine = new RedisProcess({
    ...{ binary, port, folder, env: workplace.env, started: workplace.started },
    args: [
      ...['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
      ...['--replica-announce-ip', announced.host, '--replica-announce-port', `${announced.port}`],
      ...['--repl-diskless-sync', 'yes', '--repl-diskless-sync-delay', '0'],
      ...(primary === undefined ? [] : ['--replicaof', `${primary.announced.host} ${primary.announced.port}`]),
    ],
  })
  started.push(machine)
  await machine.start()
  return { name: `redis-${at + 1}`, machine, announced, proxy }
}

async function startSentinel(
  at: number,
  { announced }: Node,
  workplace: Workplace,
  binary: string,
  started: Started,
): Promise<RedisProcess> {
  const port = await freePort()
  const file = path.join(workplace.folder, `sentinel-${at}-${port}.conf`)
  fs.writeFileSync(
    file,
    [
      `port ${port}`,
      'bind 127.0.0.1',
      `sentinel monitor ${primaryName} ${announced.host} ${announced.port} 2`,
      `sentinel down-after-milliseconds ${primaryName} ${downAfterMs}`,
      `sentinel failover-timeout ${primaryName} ${failoverTimeoutMs}`,
      `sentinel parallel-syncs ${primaryName} 2`,
      '',
    ].join('\n'),
  )
  const { folder, env, started: note } = workplace
  // `redis-sentinel` is the same program under another name.
  const machine = new RedisProcess({ binary, port, folder, env, started: note, args: [file, '--sentinel'] })
  started.push(machine)
  await machine.start()
  return machine
}
