/**
 * Applies faults to the links of a live run: through proxies for the servers and the sink, and
 * inside of the harness for the broker.
 */
import type { FlowDirection, LinkAction, LinkDirection } from '../../run/actions.ts'
import type { BoundaryEvent } from '../../run/boundary-event.ts'
import type { LinkPort } from '../../run/ports.ts'
import type { ProcessRef } from '../../run/process-ref.ts'
import type { FaultEvidence } from '../evidence/fault-evidence.ts'
import type { ProxiedLink } from '../proxy/proxied-link.ts'
import type { BrokerLink } from './broker-link.ts'
import { directions, flowsOf, type LiveLink } from './link.ts'
import type { LiveTimers } from './timers.ts'

/** The time that a command has to reach Redis before the direction to Redis is blocked, too. */
const underWayMs = 20

/** The links of one consumer slot. */
export interface SlotLinks {
  readonly broker: BrokerLink
  readonly sink: ProxiedLink
  /** The links to servers, by the server's name. */
  readonly servers: ReadonlyMap<string, ProxiedLink>
}

type Block = Extract<LinkAction, { nodes: readonly string[]; direction: LinkDirection }>

export class LiveLinks implements LinkPort {
  /** For each link, a promise that settles when a delayed block is in place. */
  readonly #blockedSoon = new Map<LiveLink, Promise<unknown>>()

  constructor(
    private readonly slots: () => readonly SlotLinks[],
    private readonly timers: LiveTimers,
    private readonly evidence: Pick<FaultEvidence, 'changed' | 'restoring' | 'resets' | 'forgets'>,
  ) {}

  get slotCount(): number {
    return this.slots().length
  }

  carry(slot: number, direction: FlowDirection, arrive: () => void): void {
    this.slots()[slot]!.broker.carry(direction, arrive)
  }

  async carryOut(action: LinkAction, event: BoundaryEvent | null, fault: number): Promise<boolean> {
    switch (action.do) {
      case 'block': {
        const changed = await this.#block(action, event)
        if (changed) this.#watch(fault, action, null)
        return changed
      }
      case 'unblock':
        this.evidence.restoring(fault)
        return this.#unblock(this.#linksTo(action.slot, action.nodes), action.direction)
      case 'slow':
        if (action.extraMs < 0) this.evidence.restoring(fault)
        await Promise.all(this.#linksTo(action.slot, action.nodes).map((link) => link.slow(action.extraMs)))
        if (action.extraMs > 0) this.#watch(fault, action, action.extraMs)
        return true
      case 'reset':
        if (!this.evidence.resets(fault, action.process)) return false
        await Promise.all([...this.slots()[action.process.slot]!.servers.values()].map((link) => link.cut()))
        return true
      case 'forget':
        return this.#forget(action.process, event, fault)
      case 'resolve-names':
        throw new Error('consumers of a live run resolve no names: such faults are not armed')
    }
  }

  /** Cuts all consumers off from those servers, or reconnects them. */
  async cutOff(nodes: readonly string[], on: boolean): Promise<void> {
    for (const [slot] of this.slots().entries())
      for (const link of this.#linksTo(slot, nodes))
        for (const direction of directions) await (on ? link.block(direction) : link.unblock(direction))
  }

  /** Forgets the connections of a process to Redis. Returns false if it has none. */
  async #forget({ name, slot }: ProcessRef, event: BoundaryEvent | null, fault: number): Promise<boolean> {
    // Waits until the end of this turn of the event loop, when the proxy has every connection that
    // the system has accepted.
    await new Promise((resolve) => setImmediate(resolve))
    if (!this.evidence.forgets(fault, name)) return false
    const connections = [...this.slots()[slot]!.servers.values()].flatMap((link) => link.connections ?? [])
    const forget = (direction: FlowDirection) => {
      for (const connection of connections) connection.forget(direction)
    }
    forget('to-process')
    // The command whose reply is lost must still reach its server.
    if (event?.boundary === 'command-executed') this.timers.after(underWayMs, () => forget('to-node'))
    else forget('to-node')
    return true
  }

  /**
   * Collects evidence for a fault. The broker link is inside of the harness, so its faults need no
   * evidence.
   */
  #watch(fault: number, { slot, nodes }: { slot: number; nodes: readonly string[] }, extraMs: number | null): void {
    if (nodes.includes('broker')) return
    const { sink, servers } = this.slots()[slot]!
    const ports = nodes.flatMap((node) => (node === 'sink' ? sink : servers.get(node))?.port ?? [])
    this.evidence.changed(fault, { slot, ports, extraMs })
  }

  /** The links of the slot to those nodes. Sentinels have no links. */
  #linksTo(slot: number, nodes: readonly string[]): LiveLink[] {
    const { broker, sink, servers } = this.slots()[slot]!
    return nodes.flatMap((node) => (node === 'broker' ? broker : node === 'sink' ? sink : (servers.get(node) ?? [])))
  }

  /** Blocks links. Returns false if all of them were already blocked. */
  async #block({ slot, nodes, direction }: Block, event: BoundaryEvent | null): Promise<boolean> {
    const links = this.#linksTo(slot, nodes)
    const { servers } = this.slots()[slot]!
    // The command whose reply the fault affects must still reach its server.
    const afterCommand = event?.boundary === 'command-executed' && direction === 'both'
    const soon = afterCommand ? new Set<LiveLink>(servers.values()) : none
    let changed = false
    for (const link of links) {
      if (direction !== 'to-node') changed = (await link.block('to-process')) || changed
      if (soon.has(link)) changed = this.#blockSoon(link)
      else if (direction !== 'to-process') changed = (await link.block('to-node')) || changed
    }
    if (!changed) await this.#unblock(links, direction)
    return changed
  }

  #blockSoon(link: LiveLink): true {
    const blocked = new Promise<void>((resolve) =>
      // If the link cannot be blocked, the timer's error fails the run.
      this.timers.after(underWayMs, () => link.block('to-node').then(() => resolve())),
    )
    this.#blockedSoon.set(link, Promise.all([this.#blockedSoon.get(link), blocked]))
    return true
  }

  /** Undoes a block. Returns true if all of the links are free now. */
  async #unblock(links: readonly LiveLink[], direction: LinkDirection): Promise<boolean> {
    let free = true
    for (const link of links) {
      await this.#blockedSoon.get(link)
      for (const one of flowsOf(direction)) free = (await link.unblock(one)) && free
    }
    return free
  }
}

const none: ReadonlySet<LiveLink> = new Set()
