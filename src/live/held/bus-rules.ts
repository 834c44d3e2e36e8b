/**
 * Decides which messages a Cluster node may receive in a run that follows a schedule: messages that
 * contradict its recorded view are dropped.
 */
import type { NodeView } from '../../contract/results/step.ts'
import type { BusGate } from './bus-link.ts'
import type { BusMessage } from './bus-message.ts'
import type { HeldRules } from './held-rules.ts'

export interface BusNode {
  readonly name: string
  readonly id: string
  readonly shard: number
}

export class BusRules implements BusGate {
  readonly #views = new Map<string, NodeView>()
  /** Isolated nodes: `deaf` nodes receive nothing, `unanswered` ones receive pings but no pongs. */
  readonly #isolated = new Map<string, 'deaf' | 'unanswered'>()
  /** The config epoch of each server's claim to its slots. */
  readonly #epochs = new Map<string, number>()

  constructor(
    private readonly nodes: readonly BusNode[],
    private readonly rules: Pick<HeldRules, 'reach'>,
  ) {}

  nameOf(id: string): string | undefined {
    return this.#byId(id)?.name
  }

  viewOf(server: string): NodeView | undefined {
    return this.#views.get(server)
  }

  /** Sets the node's view. A node without a view receives everything. */
  believes(server: string, view: NodeView): void {
    this.#views.set(server, view)
  }

  /**
   * Isolates a node. Without pongs, it considers the other nodes unreachable. Null ends the
   * isolation.
   */
  isolate(server: string, how: 'deaf' | 'unanswered' | null): void {
    if (how === null) this.#isolated.delete(server)
    else this.#isolated.set(server, how)
  }

  claims(server: string, epoch: number): void {
    this.#epochs.set(server, epoch)
  }

  passes(message: BusMessage, to: string): boolean {
    const sender = this.#byId(message.sender)
    const view = this.#views.get(to)
    if (view === undefined || sender === undefined) return true
    const isolated = this.#isolated.get(to)
    if (isolated === 'deaf' || (isolated === 'unanswered' && message.isPong)) return false
    if (message.isOfFailover || !this.rules.reach(sender.name, to)) return false
    if (message.update !== null) return this.#isBelieved(this.#byId(message.update), view)
    if (message.isPong && view.failing.includes(sender.name)) return false
    const { owner, replicas } = view.shards[sender.shard]!
    if (message.primary !== null)
      return owner === this.nameOf(message.primary) && (!message.hasData || replicas.includes(sender.name))
    if (!message.servesSlots) return owner !== sender.name
    return owner === sender.name || this.#isOlder(message.configEpoch, owner)
  }

  #byId(id: string): BusNode | undefined {
    return this.nodes.find((one) => one.id === id)
  }

  #isBelieved(node: BusNode | undefined, { shards }: NodeView): boolean {
    return node !== undefined && shards[node.shard]!.owner === node.name
  }

  /** True if the claim has an older epoch than that of the owner, so that it has no effect. */
  #isOlder(epoch: number, owner: string | null): boolean {
    return owner !== null && epoch < (this.#epochs.get(owner) ?? 0)
  }
}
