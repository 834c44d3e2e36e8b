/**
 * Several servers as real processes that reach each other by links of this process: what passes there waits for its step
 * (`HeldRules`). They fail over when they are asked to, and do then what they always do.
 */
import { Redis } from 'ioredis'
import type { RedisPlan } from '../../contract/plan.ts'
import { freePort } from '../../free-port.ts'
import type { Address } from '../proxy/link-proxy.ts'
import type { RunDirectory } from '../run-directory.ts'
import { HeldLink } from './held-link.ts'
import { HeldMachine } from './held-machine.ts'
import { HeldRules } from './held-rules.ts'

/** Longer than any run. */
export const neverMs = 10_000_000

export interface HeldWish {
  readonly redis: RedisPlan
  /** The server that is to be promoted first; null where none is. */
  readonly first: string | null
}

/** One of them, as the others know it when it dials. */
export interface Caller {
  readonly name: string
  readonly isSentinel: boolean
}

export abstract class HeldDeployment {
  readonly rules = new HeldRules()
  readonly nodes: HeldMachine[] = []
  readonly watchers: HeldMachine[] = []
  readonly #subscribers: Redis[] = []
  readonly #links: HeldLink[] = []
  /** How many replicas layers shall wait for; undefined for all. */
  readonly waitFor: number | undefined

  protected constructor(
    private readonly binary: string,
    private readonly directory: RunDirectory,
    { waitFor }: RedisPlan,
  ) {
    this.waitFor = waitFor
    this.rules.changed = () => {
      for (const link of this.#links) link.passOn()
    }
  }

  /** What there is of it is ended where it cannot be started. */
  protected static async started<D extends HeldDeployment>(deployment: D, start: () => Promise<void>): Promise<D> {
    try {
      await start()
      return deployment
    } catch (error) {
      await deployment.close()
      throw error
    }
  }

  /** From now on replicas get more, and are ordered about, as the script says. @throws LiveProblem */
  abstract hold(): Promise<void>

  /** Of a shard: the server that was promoted last, or led at first. */
  abstract leaderOf(server: HeldMachine): HeldMachine

  abstract promoted(server: HeldMachine): void

  /** Servers of the same data as that one. */
  abstract shardOf(server: HeldMachine): readonly HeldMachine[]

  /** Ports at which servers tell clients of themselves and of each other; null where clients have a map of them. */
  abstract readonly told: readonly number[] | null

  protected async link(name: string, runs: HeldMachine['runs'], port: number): Promise<HeldLink> {
    const link = await HeldLink.open({
      name,
      isSentinel: runs === 'sentinel',
      rules: this.rules,
      to: { host: '127.0.0.1', port },
      whoSays: (words) => this.whoSays(words),
    })
    this.#links.push(link)
    return link
  }

  protected machine(
    name: string,
    runs: HeldMachine['runs'],
    { link, port, config }: { link: HeldLink; port: number; config: readonly string[] },
  ): HeldMachine {
    const { binary, directory } = this
    const isOfCluster = this.told !== null
    return new HeldMachine(name, runs, link, { port, binary, directory, isOfCluster }, config)
  }

  /** Its port is taken when it starts; until then nobody dials it. */
  protected async placed(
    name: string,
    runs: HeldMachine['runs'],
    config: (announced: Address) => readonly string[],
  ): Promise<HeldMachine> {
    const port = await freePort()
    const link = await this.link(name, runs, port)
    return this.machine(name, runs, { link, port, config: config(link.address) })
  }

  protected whoSays([command = '', what = '', value = '']: readonly string[]): Caller | null {
    if (`${command} ${what}`.toUpperCase() !== 'REPLCONF LISTENING-PORT') return null
    const node = this.nodes.find(({ announced }) => announced.port === Number(value))
    return node === undefined ? null : { name: node.name, isSentinel: false }
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
    return this.leaderOf(this.nodes[0]!)
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
