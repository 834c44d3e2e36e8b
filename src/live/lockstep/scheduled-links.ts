/**
 * The links of a run that follows a schedule. Traffic that a fault blocks waits at gates until the
 * schedule releases it. Links block only traffic that does not pass a gate: new connections, and
 * unsolicited messages of clients.
 */
import type { FlowDirection, LinkAction } from '../../run/actions.ts'
import type { BoundaryEvent } from '../../run/boundary-event.ts'
import type { LinkPort } from '../../run/ports.ts'
import type { ProcessRef } from '../../run/process-ref.ts'
import { directions, flowsOf } from '../host/link.ts'
import type { LiveLinks } from '../host/live-links.ts'

export class ScheduledLinks implements LinkPort {
  /** By slot, node and direction: the number of faults that block it. */
  readonly #blocks = new Map<string, number>()
  /** Connection attempts that wait until nothing blocks them. */
  readonly #connecting: { readonly flows: readonly string[]; readonly made: () => void }[] = []

  constructor(
    private readonly links: () => LiveLinks,
    /** Resets the connections of a process to Redis. Returns false if it has none. */
    private readonly reset: (process: ProcessRef, fault: number) => boolean,
  ) {}

  carry(_slot: number, _direction: FlowDirection, arrive: () => void): void {
    arrive()
  }

  async carryOut(action: LinkAction, event: BoundaryEvent | null, fault: number): Promise<boolean> {
    if (action.do === 'slow') return true
    // The process itself resets its connections, because replies that wait in it count as in flight
    // and are lost.
    if (action.do === 'reset') return this.reset(action.process, fault)
    if (action.do !== 'block' && action.do !== 'unblock') return this.links().carryOut(action, event, fault)
    const { slot, nodes, direction } = action
    const flows = nodes.flatMap((node) => flowsOf(direction).map((flow) => `${slot} ${node} ${flow}`))
    const blockedBefore = flows.every((flow) => this.#blocked(flow))
    const by = action.do === 'block' ? 1 : -1
    if (by === 1 && blockedBefore) return false
    for (const flow of flows) this.#count(flow, by)
    // The traffic of sink and broker waits in the harness, which contains both.
    const held = nodes.filter((node) => node !== 'broker' && node !== 'sink')
    if (direction !== 'to-process' && held.length > 0)
      await this.links().carryOut({ ...action, nodes: held, direction: 'to-node' }, null, fault)
    this.#connect()
    return by === 1 || flows.every((flow) => !this.#blocked(flow))
  }

  /** Cuts all slots off from the machines, or reconnects them. */
  cutOff(machines: readonly string[], on: boolean): void {
    for (let slot = 0; slot < this.links().slotCount; slot++)
      for (const machine of machines)
        for (const flow of directions) this.#count(`${slot} ${machine} ${flow}`, on ? 1 : -1)
    this.#connect()
  }

  #count(flow: string, by: number): void {
    this.#blocks.set(flow, Math.max(0, (this.#blocks.get(flow) ?? 0) + by))
  }

  /**
   * Resolves when a connection to the server can be made: neither its first segment nor the answer
   * is blocked.
   */
  connects(slot: number, node: string): Promise<void> {
    return new Promise((made) => {
      this.#connecting.push({ flows: directions.map((flow) => `${slot} ${node} ${flow}`), made })
      this.#connect()
    })
  }

  #connect(): void {
    for (const one of this.#connecting.splice(0))
      if (one.flows.some((flow) => this.#blocked(flow))) this.#connecting.push(one)
      else one.made()
  }

  #blocked(flow: string): boolean {
    return (this.#blocks.get(flow) ?? 0) > 0
  }
}
