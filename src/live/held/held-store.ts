/**
 * Several real servers as the store of a run that follows a schedule. Faults act on their processes
 * and on the links between them. Whatever the servers did by themselves in the simulator is
 * reproduced at the same step.
 */

import { assert } from 'virtual-node/assert'
import type { Return } from '../../contract/results/schedule.ts'
import type { StoreAction } from '../../run/actions.ts'
import type { StoreMachine, StorePort } from '../../run/ports.ts'
import type { LiveRecorder } from '../host/recorder.ts'
import type { HeldDeployment } from './held-deployment.ts'
import type { HeldMachine, HeldRecord } from './held-machine.ts'

interface HeldStoreSetting {
  readonly deployment: HeldDeployment
  readonly recorder: LiveRecorder
  /** True if a disk keeps the data of servers that die. */
  readonly keeps: boolean
  /** The server to which the deployment wrote last; undefined if nothing was deployed. */
  readonly deployedTo: string | undefined
  /** The data with which servers restart, in this order. */
  readonly returns: readonly Return[]
  /** Called when a machine is gone, with all of its connections. */
  stopped(machine: HeldMachine): void
  /** Cuts the consumers off from the machines, or reconnects them. */
  cutConsumers(machines: readonly string[], on: boolean): void
  /** Called when a fault has struck the primary. Another server may take over. */
  disturbed(): void
}

type Cut = Extract<StoreAction, { do: 'cut-off' | 'rejoin' }>

type Records = ReadonlyMap<string, HeldRecord>

const nothing: Records = new Map()

export class HeldStore implements StorePort {
  /**
   * A server of the shard to which a consumer wrote last. Faults of "the primary" strike this
   * shard, because work is in progress there.
   */
  #atHand: HeldMachine
  /** The data of servers that are down or frozen. */
  readonly #held = new Map<HeldMachine, Records>()
  readonly #returns: Return[]
  /** Replicas that were killed. They keep the data that they received last. */
  readonly #wereReplicas: Set<HeldMachine>

  constructor(private readonly setting: HeldStoreSetting) {
    this.#returns = [...setting.returns]
    const { deployment, deployedTo } = setting
    this.#atHand = deployedTo === undefined ? deployment.nodes[0]! : deployment.named(deployedTo)
    this.#wereReplicas = new Set(deployment.nodes.filter((node) => deployment.leaderOf(node) !== node))
  }

  get #primary(): HeldMachine {
    return this.setting.deployment.leaderOf(this.#atHand)
  }

  #leads(server: HeldMachine): boolean {
    return server.runs === 'redis' && this.setting.deployment.leaderOf(server) === server
  }

  /** All machines; those of the shard to which a consumer wrote last come first. */
  get machines(): readonly StoreMachine[] {
    const { deployment } = this.setting
    const { nodes, watchers } = deployment
    const atHand = deployment.shardOf(this.#atHand)
    return [...atHand, ...nodes.filter((node) => !atHand.includes(node)), ...watchers]
  }

  get primary() {
    return {
      name: this.#primary.name,
      runs: 'redis',
      up: this.#primary.up,
      hasDisk: this.#hasDisk(this.#primary),
    } as const
  }

  #hasDisk(server: HeldMachine): boolean {
    return this.setting.keeps || this.#wereReplicas.has(server)
  }

  async carryOut(action: StoreAction): Promise<boolean> {
    const { deployment } = this.setting
    switch (action.do) {
      case 'stop-machine':
        return this.#stop(deployment.named(action.machine))
      case 'start-machine':
        return this.#startAgain(deployment.named(action.machine))
      case 'stall':
        return this.#stall(deployment.named(action.machine), action.on)
      case 'cut-off':
      case 'rejoin':
        return this.#cut(action)
      default:
        throw new Error(`${action.do} is not supported with several live servers`)
    }
  }

  async #stop(machine: HeldMachine): Promise<boolean> {
    if (machine.runs === 'redis') await this.#noteRecords(machine)
    await machine.kill()
    this.setting.stopped(machine)
    if (!this.#leads(machine)) return true
    const redisKeys = [...(this.#held.get(machine) ?? nothing).keys()]
    if (!this.#hasDisk(machine))
      this.setting.recorder.fact({ type: 'data-lost', node: machine.name, cause: 'restart', redisKeys })
    this.setting.disturbed()
    return true
  }

  async #startAgain(machine: HeldMachine): Promise<boolean> {
    if (machine.runs === 'sentinel') {
      await machine.start()
      return true
    }
    const at = this.#returns.findIndex(({ server }) => server === machine.name)
    // After the last step that is followed, the data of a restarted server do not matter.
    const kept = new Set(at < 0 ? [] : this.#returns.splice(at, 1)[0]!.kept)
    const before = this.#held.get(machine) ?? nothing
    await machine.startWith(new Map([...before].filter(([key]) => kept.has(key))))
    this.#held.delete(machine)
    const redisKeys = [...before.keys()].filter((key) => !kept.has(key))
    if (this.#leads(machine) && this.#hasDisk(machine))
      this.setting.recorder.fact({ type: 'data-lost', node: machine.name, cause: 'restart', redisKeys })
    return true
  }

  async #stall(machine: HeldMachine, on: boolean): Promise<boolean> {
    if (machine.frozen === on || !machine.up) return false
    if (on) await this.#noteRecords(machine)
    await machine.freeze(on)
    if (!on) this.#held.delete(machine)
    if (on && this.#leads(machine)) this.setting.disturbed()
    return true
  }

  #cut({ do: what, machines, others, consumersToo }: Cut): boolean {
    const { deployment, cutConsumers, disturbed } = this.setting
    const pairs = machines.flatMap((one) => others.map((other) => [one, other] as const))
    if (consumersToo) cutConsumers(machines, what === 'cut-off')
    if (what === 'rejoin') return deployment.rules.uncut(pairs)
    const changed = deployment.rules.cut(pairs)
    if (machines.includes(this.#primary.name)) disturbed()
    return changed
  }

  /** Notes the records of a server while it still answers. */
  async #noteRecords(server: HeldMachine): Promise<void> {
    if (server.up && !server.frozen) this.#held.set(server, await server.records())
  }

  /** Called when the server has become the primary and has its part of the data. */
  async promoted(server: HeldMachine): Promise<void> {
    const { deployment, recorder } = this.setting
    const old = deployment.leaderOf(server)
    assert(old !== server, 'a server that is promoted was not the primary before')
    const before = this.#held.get(old) ?? (await old.records())
    const after = await server.records()
    deployment.promoted(server)
    const sentence = `${server.name} is promoted and replaces ${old.name}`
    recorder.fact({ type: 'topology', node: server.name, what: 'promoted', other: old.name, sentence })
    const redisKeys = [...before].flatMap(([key, { content }]) => (after.get(key)?.content === content ? [] : [key]))
    if (redisKeys.length > 0) recorder.fact({ type: 'data-lost', node: old.name, cause: 'failover', redisKeys })
  }

  /**
   * Called when a consumer's command has changed data of a server. If another server has replaced
   * that one, the write is lost.
   */
  async wrote(server: HeldMachine, args: readonly string[]): Promise<void> {
    const { recorder } = this.setting
    this.#atHand = server
    if (this.#leads(server)) return
    const redisKeys = await server.keysOf(args)
    const keys = redisKeys === null ? {} : { redisKeys }
    recorder.fact({ type: 'data-lost', node: server.name, cause: 'split-brain', ...keys })
  }
}
