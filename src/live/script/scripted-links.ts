/**
 * The links of a run that follows a script. What faults stop waits at gates, until the script lets it on; links hold only
 * what passes no gate: new connections, and what clients send on their own account.
 */
import type { FlowDirection, LinkAction } from '../../run/actions.ts'
import type { BoundaryEvent } from '../../run/boundary-event.ts'
import type { LinkPort } from '../../run/ports.ts'
import { flowsOf } from '../link.ts'
import type { LiveLinks } from '../live-links.ts'

export class ScriptedLinks implements LinkPort {
  /** By slot, node and direction: how many faults block it. */
  readonly #blocks = new Map<string, number>()

  constructor(private readonly links: LiveLinks) {}

  carry(_slot: number, _direction: FlowDirection, arrive: () => void): void {
    arrive()
  }

  async carryOut(action: LinkAction, event: BoundaryEvent | null, fault: number): Promise<boolean> {
    if (action.do === 'slow') return true
    if (action.do !== 'block' && action.do !== 'unblock') return this.links.carryOut(action, event, fault)
    const { slot, nodes, direction } = action
    const flows = nodes.flatMap((node) => flowsOf(direction).map((flow) => `${slot} ${node} ${flow}`))
    const blockedBefore = flows.every((flow) => this.#blocked(flow))
    const by = action.do === 'block' ? 1 : -1
    if (by === 1 && blockedBefore) return false
    for (const flow of flows) this.#blocks.set(flow, Math.max(0, (this.#blocks.get(flow) ?? 0) + by))
    // The sink and the broker are the harness's own: what comes to them waits there.
    const held = nodes.filter((node) => node !== 'broker' && node !== 'sink')
    if (direction !== 'to-process' && held.length > 0)
      await this.links.carryOut({ ...action, nodes: held, direction: 'to-node' }, null, fault)
    return by === 1 || flows.every((flow) => !this.#blocked(flow))
  }

  #blocked(flow: string): boolean {
    return (this.#blocks.get(flow) ?? 0) > 0
  }
}
