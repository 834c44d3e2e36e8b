import type { StoreAction } from '../../../run/actions.ts'
import type { StorePort } from '../../../run/ports.ts'
import type { SimulatedLinks } from '../simulated-links.ts'
import type { PostgresNode } from './postgres-node.ts'

/** Applies faults to the simulated PostgreSQL server. */
export class PostgresStore implements StorePort {
  readonly machines: readonly PostgresNode[]

  constructor(
    readonly primary: PostgresNode,
    private readonly links: SimulatedLinks,
  ) {
    this.machines = [primary]
  }

  carryOut(action: StoreAction): boolean {
    switch (action.do) {
      case 'stop-machine':
        this.primary.stop(action.withDisk)
        return true
      case 'start-machine':
        this.primary.start()
        return true
      case 'stall':
        return this.primary.stall(action.on)
      case 'degrade':
        if (action.what === 'connectionsExhausted') return this.primary.exhaust(action.on)
        break
      case 'cut-off':
      case 'rejoin':
        return this.links.cutOff(action)
    }
    throw new Error(`no fault of PostgreSQL asks for ${action.do}`)
  }
}
