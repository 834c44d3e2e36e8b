/**
 * The nodes of a Cluster that act by themselves, as the store of a run. Faults kill and freeze
 * them, and cut them off from each other.
 */
import type { StoreAction } from '../../run/actions.ts'
import type { StoreMachine, StorePort } from '../../run/ports.ts'
import { LiveProblem } from '../environment/problem.ts'
import { Standstill } from '../evidence/standstill.ts'
import type { HeldMachine } from '../held/held-machine.ts'
import type { ClusterRoles } from './cluster-roles.ts'
import { CutWatch } from './cut-watch.ts'
import type { LiveCluster } from './live-cluster.ts'

type Cut = Extract<StoreAction, { do: 'cut-off' | 'rejoin' }>

type Cluster = Pick<LiveCluster, 'nodes' | 'named' | 'placeOf' | 'rules'>

interface ClusterStoreSetting {
  readonly cluster: Cluster
  readonly roles: Pick<ClusterRoles, 'primary' | 'nodes' | 'note' | 'cameBackEmpty' | 'goesOn'>
  /** Cuts the consumers off from the nodes, or reconnects them. */
  cutConsumers(nodes: readonly string[], on: boolean): Promise<void>
}

export class ClusterStore implements StorePort {
  /** Nodes that a fault has killed, until they are up again. */
  readonly #dead = new Set<HeldMachine>()
  /**
   * Nodes that a fault has frozen, until that fault heals. They stay in the set while they are
   * dead.
   */
  readonly #stalled = new Set<HeldMachine>()
  /** Restarts in progress. */
  readonly #starting = new Set<Promise<unknown>>()
  readonly #standstills = new Map<string, Standstill>()
  /** The evidence of cuts, by the two sides of the cut. */
  readonly #cuts = new Map<string, CutWatch>()
  #lastCut: CutWatch | null = null
  #closed = false

  constructor(private readonly setting: ClusterStoreSetting) {}

  get machines(): readonly StoreMachine[] {
    return this.setting.roles.nodes.map((node) => this.#machine(node))
  }

  get primary() {
    return this.#machine(this.setting.roles.primary)
  }

  #machine(node: HeldMachine) {
    return { name: node.name, runs: 'redis', up: !this.#dead.has(node), hasDisk: false } as const
  }

  /** The evidence of the node's last freeze. */
  standstillOf(node: string): Standstill {
    return this.#standstills.get(node)!
  }

  /** The evidence of the last cut. */
  get lastCut(): CutWatch {
    return this.#lastCut!
  }

  async carryOut(action: StoreAction): Promise<boolean> {
    const { cluster } = this.setting
    switch (action.do) {
      case 'stop-machine':
        return this.#kill(cluster.named(action.machine))
      case 'start-machine':
        return this.#startAgain(cluster.named(action.machine))
      case 'stall':
        return this.#stall(cluster.named(action.machine), action.on)
      case 'cut-off':
        return this.#cutOff(action)
      case 'rejoin':
        return this.#rejoin(action)
      default:
        throw new Error(`${action.do} is not supported with a live Cluster`)
    }
  }

  async #kill(node: HeldMachine): Promise<boolean> {
    if (this.#dead.has(node)) return false
    // The node is added before the first await, so that it is not killed twice.
    this.#dead.add(node)
    await this.setting.roles.note(node)
    await node.kill()
    return true
  }

  /**
   * Restarts the node. It knows the other nodes but has no data, and finds out by itself whether it
   * has been replaced.
   */
  async #startAgain(node: HeldMachine): Promise<boolean> {
    if (this.#closed) return false
    this.setting.roles.cameBackEmpty(node)
    const started = node.startEmpty()
    const settled = started.then(
      () => {},
      () => {},
    )
    this.#starting.add(settled)
    try {
      await started
    } catch (error) {
      // The run has ended, and its servers were killed while this one started.
      if (this.#closed) return false
      throw error
    } finally {
      this.#starting.delete(settled)
    }
    if (this.#closed) return false
    this.#dead.delete(node)
    // Freezes the node again, because the fault that froze it has not healed.
    if (this.#stalled.has(node)) await node.freeze(true)
    return true
  }

  #stall(node: HeldMachine, on: boolean): Promise<boolean> {
    return on ? this.#standStill(node) : this.#goOn(node)
  }

  /**
   * Freezes a node until the fault heals. Returns false if the node is dead or another fault has
   * frozen it.
   */
  async #standStill(node: HeldMachine): Promise<boolean> {
    if (this.#stalled.has(node) || this.#dead.has(node)) return false
    // The node is added before the first await, so that it is not frozen twice.
    this.#stalled.add(node)
    await this.setting.roles.note(node)
    // A fault has killed the node meanwhile.
    if (this.#dead.has(node)) {
      this.#stalled.delete(node)
      return false
    }
    await node.freeze(true)
    this.#standstills.set(node.name, Standstill.of(node.name, node.call('PING')))
    return true
  }

  async #goOn(node: HeldMachine): Promise<boolean> {
    if (!this.#stalled.delete(node)) return false
    this.#standstills.get(node.name)?.end()
    if (!node.up) return false
    await node.freeze(false)
    this.setting.roles.goesOn(node)
    return true
  }

  async #cutOff({ machines, others, consumersToo }: Cut): Promise<boolean> {
    const { cluster, cutConsumers } = this.setting
    if (!cluster.rules.cut(pairsOf(machines, others))) return false
    const watch = new CutWatch(cluster, { machines, others })
    this.#cuts.set(cutName(machines, others), watch)
    if (consumersToo) await cutConsumers(machines, true)
    this.#lastCut = watch
    return true
  }

  async #rejoin({ machines, others, consumersToo }: Cut): Promise<boolean> {
    const { cluster, cutConsumers } = this.setting
    await this.#cuts.get(cutName(machines, others))?.look()
    if (consumersToo) await cutConsumers(machines, false)
    return cluster.rules.uncut(pairsOf(machines, others))
  }

  /**
   * Checks the nodes.
   * @throws LiveProblem if a node ended without a fault
   */
  async look(): Promise<void> {
    for (const node of this.setting.cluster.nodes)
      if (node.up && !this.#dead.has(node) && !(await node.machine.isAlive()) && node.up && !this.#dead.has(node))
        throw new LiveProblem(
          `the node ${node.name}`,
          'it ended during the run; check its log and the free memory of the machine',
        )
  }

  /**
   * Called when the run has ended. Once it resolves, no node is starting, and none will be started
   * later.
   */
  async close(): Promise<void> {
    this.#closed = true
    await Promise.all(this.#starting)
  }
}

const pairsOf = (machines: readonly string[], others: readonly string[]) =>
  machines.flatMap((one) => others.map((other) => [one, other] as const))

const cutName = (machines: readonly string[], others: readonly string[]): string =>
  `${machines.join()} ${others.join()}`
