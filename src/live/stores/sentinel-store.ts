/**
 * Several real servers that Sentinels watch, as the store of a run. Faults kill the primary or cut
 * it off from the other servers.
 */
import type { StoreAction } from '../../run/actions.ts'
import type { StoreMachine, StorePort } from '../../run/ports.ts'
import type { LiveRecorder } from '../host/recorder.ts'
import type { SentinelDeployment, SentinelServer } from '../servers/sentinel-deployment.ts'
import type { Records } from './lost-records.ts'

const nothing: ReadonlyMap<string, string> = new Map()

export class SentinelStore implements StorePort {
  /** The records of killed servers, until those are up again. */
  readonly #dead = new Map<SentinelServer, ReadonlyMap<string, string>>()
  /** The number of faults that cut off each server. */
  readonly #cuts = new Map<SentinelServer, number>()
  #primary: SentinelServer
  #closed = false

  constructor(
    private readonly sentinels: Pick<SentinelDeployment, 'nodes' | 'primary' | 'hide' | 'demote'>,
    private readonly recorder: LiveRecorder,
    private readonly records: Records,
  ) {
    this.#primary = sentinels.nodes[0]!
  }

  get machines(): readonly StoreMachine[] {
    return this.sentinels.nodes.map((server) => this.#machine(server))
  }

  get primary() {
    return this.#machine(this.#primary)
  }

  #machine(server: SentinelServer) {
    return { name: server.name, runs: 'redis', up: !this.#dead.has(server), hasDisk: false } as const
  }

  /** Called when the Sentinels announced another primary. */
  promoted(name: string): void {
    this.#primary = this.#server(name)
  }

  async carryOut(action: StoreAction): Promise<boolean> {
    switch (action.do) {
      case 'stop-machine':
        return this.#kill(this.#server(action.machine))
      case 'start-machine':
        return this.#startAgain(this.#server(action.machine))
      case 'cut-off':
        return this.#cutOff(action.machines.map((name) => this.#server(name)))
      case 'rejoin':
        return this.#rejoin(action.machines.map((name) => this.#server(name)))
      default:
        throw new Error(`${action.do} is not supported with several live servers`)
    }
  }

  async #kill(server: SentinelServer): Promise<boolean> {
    if (this.#dead.has(server)) return false
    // The server is added before the first await, so that it is not killed twice.
    this.#dead.set(server, nothing)
    this.#dead.set(server, await this.records.of(server))
    await server.machine.kill()
    return true
  }

  /**
   * Restarts the server without data, as a replica of the new primary. An operator would not wait
   * for the Sentinels either, which take ten seconds to make it a replica.
   */
  async #startAgain(server: SentinelServer): Promise<boolean> {
    const before = this.#dead.get(server) ?? nothing
    await this.records.reportLost(this.sentinels, this.recorder, { before, old: server, cause: 'failover' })
    if (this.#closed) return false
    await server.machine.start()
    this.#dead.delete(server)
    await this.sentinels.demote(server)
    return true
  }

  /**
   * Cuts the servers off from replicas and Sentinels. Consumers still reach the servers, and a
   * primary among them still accepts their writes.
   */
  async #cutOff(servers: readonly SentinelServer[]): Promise<boolean> {
    if (servers.every((server) => this.#cuts.has(server))) return false
    for (const server of servers) {
      this.#cuts.set(server, (this.#cuts.get(server) ?? 0) + 1)
      await this.sentinels.hide(server, true)
    }
    return true
  }

  async #rejoin(servers: readonly SentinelServer[]): Promise<boolean> {
    const alive = servers.filter((server) => !this.#dead.has(server))
    const [old] = servers
    if (old !== undefined && alive.includes(old)) {
      const before = await this.records.of(old)
      await this.records.reportLost(this.sentinels, this.recorder, { before, old, cause: 'split-brain' })
    }
    for (const server of servers) await this.#uncut(server)
    for (const server of alive) await this.sentinels.demote(server)
    return true
  }

  async #uncut(server: SentinelServer): Promise<void> {
    const left = (this.#cuts.get(server) ?? 0) - 1
    if (left > 0) return void this.#cuts.set(server, left)
    this.#cuts.delete(server)
    await this.sentinels.hide(server, false)
  }

  #server(name: string): SentinelServer {
    const server = this.sentinels.nodes.find((one) => one.name === name)
    if (server === undefined) throw new Error(`no server of the deployment is called ${name}`)
    return server
  }

  /** Called when the run has ended. No server is started after that. */
  close(): void {
    this.#closed = true
  }
}
