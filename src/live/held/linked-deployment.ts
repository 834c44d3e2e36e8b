/**
 * Several servers as real processes that reach each other only through links of this process.
 * `HeldRules` decides what passes.
 */

import { freePort } from 'test-servers'
import type { RedisPlan } from '../../contract/api/plan.ts'
import type { RunDirectory } from '../environment/run-directory.ts'
import type { Address } from '../proxy/link-proxy.ts'
import { HeldLink } from './held-link.ts'
import { HeldMachine } from './held-machine.ts'
import { HeldRules } from './held-rules.ts'
import type { Sync } from './replica-stream.ts'

/** A machine of the deployment that opens a connection to another one. */
export interface Caller {
  readonly name: string
  readonly isSentinel: boolean
}

export abstract class LinkedDeployment {
  readonly rules = new HeldRules()
  readonly nodes: HeldMachine[] = []
  readonly watchers: HeldMachine[] = []
  readonly #links: HeldLink[] = []
  /** The number of replicas for which layers should wait; undefined for all. */
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

  /** Starts a deployment. Closes the started parts if the start fails. */
  protected static async started<D extends LinkedDeployment>(deployment: D, start: () => Promise<void>): Promise<D> {
    try {
      await start()
      return deployment
    } catch (error) {
      await deployment.close()
      throw error
    }
  }

  /**
   * The ports at which servers announce themselves and each other to clients; null if clients have
   * a map of addresses.
   */
  abstract readonly reported: readonly number[] | null

  protected async link(name: string, runs: HeldMachine['runs'], port: number): Promise<HeldLink> {
    const link = await HeldLink.open({
      name,
      isSentinel: runs === 'sentinel',
      rules: this.rules,
      to: { host: '127.0.0.1', port },
      whoSays: (words) => this.whoSays(words),
      syncs: (replica, how) => this.syncs(replica, how),
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
    const isOfCluster = this.reported !== null
    return new HeldMachine(name, runs, link, { port, binary, directory, isOfCluster }, config)
  }

  /** Places a machine. Its port is bound when it starts, and no machine connects to it before. */
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

  /** Called when that replica receives the data of the server that it follows. */
  protected syncs(_replica: string, _how: Sync): void {}

  get announcedSentinels(): readonly HeldMachine[] {
    return this.watchers
  }

  get sentinels(): Address[] {
    return this.watchers.map(({ machine: { host, port } }) => ({ host, port }))
  }

  named(name: string): HeldMachine {
    const machine = [...this.nodes, ...this.watchers].find((one) => one.name === name)
    if (machine === undefined) throw new Error(`no machine of the deployment is called ${name}`)
    return machine
  }

  async close(): Promise<void> {
    await Promise.all([...this.nodes, ...this.watchers].map((one) => one.kill()))
    await Promise.all(this.#links.map((link) => link.close()))
  }
}
