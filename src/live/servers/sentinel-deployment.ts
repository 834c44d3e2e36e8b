/**
 * A deployment of a primary, two replicas and three Sentinels that the harness starts. Each server
 * announces a proxied link, through which replicas and Sentinels reach it. If the link is disabled,
 * they lose the server as in a network partition. Consumers have separate links to every server
 * (ioredis maps announced addresses to them by `natMap`), so they still reach a primary that
 * replicas and Sentinels have lost.
 */
import { Redis } from 'ioredis'
import type { RedisPlan } from '../../contract/api/plan.ts'
import type { ProxiedLink } from '../proxy/proxied-link.ts'
import { allStarted, asked, eventually } from './asking.ts'
import type { ServerMachine } from './live-server.ts'

export const primaryName = 'onceproof'
const servers = 3
const sentinelCount = 3
/**
 * The time in milliseconds for which a primary must be silent before a Sentinel considers it down.
 */
const downAfterMs = 500
const failoverTimeoutMs = 3_000

/** The deployment as part of a plan. Transfers and starts are not slowed down. */
export const deployedRedis: RedisPlan = {
  replicas: servers - 1,
  sentinels: sentinelCount,
  downAfterMs,
  failoverTimeoutMs,
  keeps: 'nothing',
  minReplicasToWrite: 0,
  fullSyncMs: 0,
  loadingMs: 0,
}

/** Starts the servers and Sentinels of a deployment: as processes, or in containers. */
export interface SentinelSite {
  /** The value of `bind` in the configurations. */
  readonly bind: string
  port(): Promise<number>
  /**
   * Opens the link through which other machines reach that port; null if they connect directly, so
   * that they cannot be cut off from it.
   */
  linkTo(port: number): Promise<ProxiedLink | null>
  startServer(port: number, options: readonly string[]): Promise<ServerMachine>
  /** Starts a Sentinel. Its configuration file, which it rewrites, begins with these lines. */
  startSentinel(port: number, lines: readonly string[]): Promise<ServerMachine>
  /** Ends and removes everything that was started. */
  close(): Promise<void>
}

export interface SentinelServer {
  readonly name: string
  readonly machine: ServerMachine
  /** The address at which the other machines reach the server. */
  readonly announced: { readonly host: string; readonly port: number }
  readonly link: ProxiedLink | null
}

export class SentinelDeployment {
  #probing: Promise<void> = Promise.resolve()
  #probe = true
  readonly #subscribers: Redis[] = []
  /** The longest time in which no primary accepted a write, in milliseconds. */
  withoutPrimaryMs = 0

  private constructor(
    readonly nodes: readonly SentinelServer[],
    private readonly watchers: readonly ServerMachine[],
    private readonly site: SentinelSite,
  ) {}

  /**
   * Starts the deployment. Resolves when the Sentinels know both replicas.
   * @throws LiveProblem
   */
  static async start(site: SentinelSite): Promise<SentinelDeployment> {
    try {
      const primary = await startNode(site, 1, null)
      const replicas = Array.from({ length: servers - 1 }, (_, at) => startNode(site, at + 2, primary))
      const nodes = [primary, ...(await allStarted(replicas))]
      await eventually(() => isFollowed(primary), 'the replicas', 'they do not follow their primary')
      const watchers = await allStarted(Array.from({ length: sentinelCount }, () => startSentinel(site, primary)))
      const deployment = new SentinelDeployment(nodes, watchers, site)
      await deployment.#whenComplete()
      return deployment
    } catch (error) {
      await site.close()
      throw error
    }
  }

  get sentinels(): { host: string; port: number }[] {
    return this.watchers.map(({ host, port }) => ({ host, port }))
  }

  /**
   * Reports each new primary, as soon as the first Sentinel names it. The Sentinel that leads the
   * failover directs clients to the new primary before announcing it
   * (`sentinelGetCurrentMasterAddress` of Redis); the other Sentinels do so a while later.
   */
  async onSwitch(report: (promoted: string, replaced: string) => void): Promise<void> {
    let primary = this.nodes[0]!.name
    const nameOf = (port: string) => this.nodes.find((one) => `${one.announced.port}` === port)?.name ?? port
    const hear = (channel: string, text: string): void => {
      const promoted = nameOf(promotedPort(channel, text))
      if (promoted === primary) return
      report(promoted, primary)
      primary = promoted
    }
    for (const watcher of this.watchers) {
      const client = sentinelClient(watcher)
      this.#subscribers.push(client)
      client.on('message', hear)
      await client.subscribe('+promoted-slave', '+switch-master')
    }
  }

  /** Writes periodically through the Sentinels, as a client would. */
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
      } else if (client.status === 'ready') client.disconnect(true) // The server is unreachable.
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    client.disconnect()
  }

  /** The server that the Sentinels consider the primary now. */
  async primary(): Promise<SentinelServer> {
    const client = sentinelClient(this.watchers[0]!)
    try {
      const [, port] = (await client.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', primaryName)) as string[]
      return this.nodes.find(({ announced }) => announced.port === Number(port)) ?? this.nodes[0]!
    } finally {
      client.disconnect()
    }
  }

  /** Cuts the server off from replicas and Sentinels, or reconnects it. */
  async hide({ link }: SentinelServer, hidden: boolean): Promise<void> {
    if (link === null) throw new Error('a server without a proxy cannot be hidden')
    await (hidden ? link.disable() : link.enable())
  }

  /** Makes the server a replica of the current primary, and returns the primary's name. */
  async demote({ machine, name }: SentinelServer): Promise<string> {
    const primary = await this.primary()
    // The server was not replaced: the Sentinels had no majority, or not enough time.
    if (primary.machine === machine) return name
    const client = new Redis({ host: machine.host, port: machine.port, maxRetriesPerRequest: 1 })
    client.on('error', () => {})
    await client.call('REPLICAOF', primary.announced.host, String(primary.announced.port))
    // Closes client connections, as a Sentinel does, so that clients notice that the server is no
    // longer the primary.
    await client.call('CLIENT', 'KILL', 'TYPE', 'normal').finally(() => client.disconnect())
    return primary.name
  }

  async close(): Promise<void> {
    this.#probe = false
    for (const client of this.#subscribers) client.disconnect()
    await this.#probing
    await this.site.close()
  }

  #client(more: object): Redis {
    const client = new Redis({ sentinels: this.sentinels, name: primaryName, sentinelRetryStrategy: () => 50, ...more })
    client.on('error', () => {})
    return client
  }

  #whenComplete(): Promise<void> {
    const allKnow = async () => (await Promise.all(this.watchers.map(knowsAll))).every(Boolean)
    return eventually(allKnow, 'the Sentinels', 'they do not know both replicas')
  }
}

function sentinelClient({ host, port }: ServerMachine): Redis {
  const client = new Redis({ host, port, maxRetriesPerRequest: 1 })
  client.on('error', () => {})
  return client
}

/**
 * The port of the promoted server, from Sentinel's messages `slave name ip port @ …` and `name
 * old-ip old-port new-ip new-port`.
 */
const promotedPort = (channel: string, text: string): string =>
  text.split(' ')[channel === '+promoted-slave' ? 3 : 4] ?? ''

/**
 * True if the replicas of the server have connected. If a Sentinel asks a primary before that, it
 * asks again only ten seconds later.
 */
function isFollowed({ machine }: SentinelServer): Promise<boolean> {
  return asked(machine, async (client) => {
    const info = await client.info('replication')
    return (info.match(/state=online/g) ?? []).length === servers - 1
  })
}

function knowsAll(sentinel: ServerMachine): Promise<boolean> {
  return asked(sentinel, async (client) => {
    const fields = (await client.call('SENTINEL', 'MASTER', primaryName)) as string[]
    const field = (name: string) => fields[fields.indexOf(name) + 1]
    const others = Number(field('num-other-sentinels')) === sentinelCount - 1
    return field('num-slaves') === String(servers - 1) && others && field('flags') === 'master'
  })
}

async function startNode(site: SentinelSite, number: number, primary: SentinelServer | null): Promise<SentinelServer> {
  const port = await site.port()
  const link = await site.linkTo(port)
  const announced = { host: '127.0.0.1', port: link?.port ?? port }
  const machine = await site.startServer(port, [
    ...['--replica-announce-ip', announced.host, '--replica-announce-port', `${announced.port}`],
    ...['--repl-diskless-sync', 'yes', '--repl-diskless-sync-delay', '0'],
    ...(primary === null ? [] : ['--replicaof', `${primary.announced.host} ${primary.announced.port}`]),
  ])
  return { name: `redis-${number}`, machine, announced, link }
}

async function startSentinel(site: SentinelSite, { announced }: SentinelServer): Promise<ServerMachine> {
  const port = await site.port()
  return site.startSentinel(port, [
    `port ${port}`,
    `bind ${site.bind}`,
    'protected-mode no',
    `sentinel announce-ip ${announced.host}`,
    `sentinel announce-port ${port}`,
    `sentinel monitor ${primaryName} ${announced.host} ${announced.port} 2`,
    `sentinel down-after-milliseconds ${primaryName} ${downAfterMs}`,
    `sentinel failover-timeout ${primaryName} ${failoverTimeoutMs}`,
    `sentinel parallel-syncs ${primaryName} 2`,
  ])
}
