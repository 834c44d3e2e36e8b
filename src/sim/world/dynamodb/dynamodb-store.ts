import type { StoreAction } from '../../../run/actions.ts'
import type { StorePort } from '../../../run/ports.ts'
import type { SimulatedLinks } from '../simulated-links.ts'
import type { DynamoDBNode } from './dynamodb-node.ts'

/** Applies faults to the simulated DynamoDB. No fault stops a machine of the service. */
export class DynamoDBStore implements StorePort {
  readonly machines: readonly DynamoDBNode[]

  constructor(
    readonly primary: DynamoDBNode,
    private readonly links: SimulatedLinks,
  ) {
    this.machines = [primary]
  }

  carryOut(action: StoreAction): boolean {
    switch (action.do) {
      case 'stall':
        return this.primary.stall(action.on)
      case 'throttle':
        return this.primary.throttle(action.on)
      case 'cut-off':
      case 'rejoin':
        return this.links.cutOff(action)
    }
    throw new Error(`no fault of DynamoDB asks for ${action.do}`)
  }
}
