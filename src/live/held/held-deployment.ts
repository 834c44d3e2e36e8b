/**
 * A primary, its replicas and the Sentinels that watch them, as real processes that reach each other by links of this
 * process: what passes there waits for its step (`HeldRules`). Sentinels call nobody down by themselves. They fail over when
 * they are asked to (`SENTINEL FAILOVER`), and do then what they always do.
 */
import { Redis } from 'ioredis'
import type { RedisPlan } from '../../contract/plan.ts'
import { freePort } from '../../free-port.ts'
import type { Address } from '../proxy/link-proxy.ts'
import type { RunDirectory } from '../run-directory.ts'
import { allStarted, eventually } from '../servers/asking.ts'
import { primaryName } from '../servers/sentinel-deployment.ts'
import { HeldLink } from './held-link.ts'
import { HeldMachine } from './held-machine.ts'
import { HeldRules } from './held-rules.ts'

/** Longer than any run. */
export const neverMs = 10_000_000
/** A server of priority 0 is never promoted; of the others, the one of the lowest is. */
export const priorities = { never: 0, first: 10, others: 100 } as const

export interface HeldWish {
  readonly redis: RedisPlan
  /** The server that is to be promoted first; null where none is. */
  readonly first: string | null
}

export class HeldDeployment {
  readonly rules = new HeldRules()
  readonly nodes: HeldMachine[] = []
  readonly watchers: HeldMachine[] = []
  readonly #subscribers: Redis[] = []
  readonly #links: HeldLink[] = []
  /** How many replicas layers shall wait for; undefined for all. */
  waitFor: number | undefined
  /** The server that was promoted last. */
  leads: HeldMachine | null = null

  private constructor(
    private readonly binary: string,
    private readonly directory: RunDirectory,
  ) {
    this.rules.changed = () => {
      for (const link of this.#links) link.passOn()
    }
  }

  /** Resolves when replicas have everything and Sentinels know everybody. @throws LiveProblem */
  static async start(binary: string, directory: RunDirectory, wish: HeldWish): Promise<HeldDeployment> {
    const deployment = new HeldDeployment(binary, directory)
    try {
      await deployment.#start(wish)
      return deployment
    } catch (error) {
      await deployment.close()
      throw error
    }
  }

  async #start({ redis, first }: HeldWish): Promise<void> {
    const { replicas, neverPromoted = 0, waitFor } = redis
    this.waitFor = waitFor
    for (let number = 1; number <= 1 + replicas; number++) {
      const name = `redis-${number}`
      const priority =
        number > 1 + replicas - neverPromoted ? priorities.never : name === first ? priorities.first : priorities.others
      const primary = this.nodes[0]?.announced
      this.nodes.push(
        await this.#machine(name, 'redis', ({ port }) => [
          ...['save ""', 'appendonly no', 'repl-diskless-sync yes', 'repl-diskless-sync-delay 0'],
          ...['notify-keyspace-events Ex', `replica-priority ${priority}`],
          ...[`replica-announce-ip 127.0.0.1`, `replica-announce-port ${port}`],
          ...(primary === undefined ? [] : [`replicaof ${primary.host} ${primary.port}`]),
        ]),
      )
    }
    await allStarted(this.nodes.map((node) => node.start()))
    await eventually(() => this.#allFollow(), 'the replicas', 'they do not follow their primary')
    await this.#startSentinels(redis.sentinels)
    await eventually(() => this.#allKnow(), 'the Sentinels', 'they do not know all servers')
  }

  async #startSentinels(count: number): Promise<void> {
    const monitored = (...words: (string | number)[]) =>
      `sentinel ${[words[0], primaryName, ...words.slice(1)].join(' ')}`
    const primary = this.nodes[0]!.announced
    for (let at = 0; at < count; at++)
      this.watchers.push(
        await this.#machine(`sentinel-${at + 1}`, 'sentinel', ({ port }) => [
          ...['protected-mode no', `sentinel myid ${idOf(at)}`],
          ...['sentinel announce-ip 127.0.0.1', `sentinel announce-port ${port}`],
          monitored('monitor', primary.host, primary.port, Math.floor(count / 2) + 1),
          monitored('down-after-milliseconds', neverMs),
          monitored('failover-timeout', neverMs),
          ...this.nodes.slice(1).map(({ announced: { host, port } }) => monitored('known-replica', host, port)),
        ]),
      )
    await allStarted(this.watchers.map((watcher) => watcher.start()))
  }

  /** Its port is taken when it starts; until then nobody dials it. */
  async #machine(
    name: string,
    runs: HeldMachine['runs'],
    config: (announced: Address) => readonly string[],
  ): Promise<HeldMachine> {
    const port = await freePort()
    const link = await HeldLink.open({
      name,
      isSentinel: runs === 'sentinel',
      rules: this.rules,
      to: { host: '127.0.0.1', port },
      whoSays: (words) => this.#whoSays(words),
    })
    this.#links.push(link)
    const { binary, directory } = this
    return new HeldMachine(name, runs, link, { port, binary, directory }, config(link.address))
  }

  #whoSays([command = '', what = '', value = '']: readonly string[]): { name: string; isSentinel: boolean } | null {
    const said = `${command} ${what}`.toUpperCase()
    if (said === 'REPLCONF LISTENING-PORT') {
      const node = this.nodes.find(({ announced }) => announced.port === Number(value))
      return node === undefined ? null : { name: node.name, isSentinel: false }
    }
    // `sentinel-11111111-cmd`, by the beginning of its id.
    const at =
      said === 'CLIENT SETNAME' ? this.watchers.findIndex((_, at) => value.includes(`-${idOf(at).slice(0, 8)}-`)) : -1
    return at < 0 ? null : { name: this.watchers[at]!.name, isSentinel: true }
  }

  async #allFollow(): Promise<boolean> {
    const text = [...(await this.nodes[0]!.info('replication')).values()].join('\n')
    return (text.match(/state=online/g) ?? []).length === this.nodes.length - 1
  }

  async #allKnow(): Promise<boolean> {
    const known = await Promise.all(
      this.watchers.map(async (watcher) => {
        const fields = (await watcher.call('SENTINEL', 'MASTER', primaryName)) as string[]
        const field = (name: string) => Number(fields[fields.indexOf(name) + 1])
        const others = field('num-other-sentinels') === this.watchers.length - 1
        return others && field('num-slaves') === this.nodes.length - 1 && field('info-refresh') > 0
      }),
    )
    return known.every(Boolean)
  }

  /**
   * Replicas have all that there is, and from now on get more, and are ordered about, as the script says.
   *
   * @throws LiveProblem where they do not get it
   */
  hold(): Promise<void> {
    return eventually(() => this.#holdWhereLevel(), 'the replicas', 'they do not get what their primary has')
  }

  async #holdWhereLevel(): Promise<boolean> {
    const [primary, ...replicas] = this.nodes
    const offset = await primary!.offset()
    const reached = await Promise.all(replicas.map((one) => one.offset()))
    // The Sentinels' own messages go the same way: they never stand still for long.
    if (!reached.every((one) => one >= offset)) return false
    this.rules.hold()
    for (const { name } of replicas) this.rules.limit(name, primary!.name, offset)
    return true
  }

  /** Tells of each key that a server finds expired. */
  async tellExpired(tell: (node: string, key: string) => void): Promise<void> {
    for (const { name, machine } of this.nodes) {
      const { host, port } = machine
      const client = new Redis({ host, port, autoResubscribe: false, retryStrategy: () => 50 })
      client.on('error', () => {})
      client.on('message', (_channel, key) => tell(name, key))
      this.#subscribers.push(client)
      const subscribe = () => client.subscribe('__keyevent@0__:expired')
      await subscribe()
      // It may be closed meanwhile.
      client.on('ready', () => subscribe().catch(() => {}))
    }
  }

  get announcedSentinels(): readonly HeldMachine[] {
    return this.watchers
  }

  get sentinels(): Address[] {
    return this.watchers.map(({ machine: { host, port } }) => ({ host, port }))
  }

  async primary(): Promise<HeldMachine> {
    return this.leads ?? this.nodes[0]!
  }

  named(name: string): HeldMachine {
    const machine = [...this.nodes, ...this.watchers].find((one) => one.name === name)
    if (machine === undefined) throw new Error(`no machine of the deployment is called ${name}`)
    return machine
  }

  async close(): Promise<void> {
    for (const client of this.#subscribers) client.disconnect()
    await Promise.all([...this.nodes, ...this.watchers].map((one) => one.kill()))
    await Promise.all(this.#links.map((link) => link.close()))
  }
}

/** As in the simulator. */
const idOf = (at: number): string => String(at + 1).repeat(40)
