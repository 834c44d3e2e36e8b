import type { DynamoDBAddress, StoreAddresses } from '../../../contract/api/store.ts'
import { dynamodbClock } from '../../../run/faults/machine.ts'
import type { StorePort } from '../../../run/ports.ts'
import type { MachineAddress } from '../server-machine.ts'
import type { SiteContext, StoreSite } from '../store-site.ts'
import { DynamoDBNode } from './dynamodb-node.ts'
import { DynamoDBStore } from './dynamodb-store.ts'

const address: MachineAddress = { name: 'dynamodb', host: '10.0.1.1', port: 8000 }

const dynamodb: DynamoDBAddress = {
  options: {
    endpoint: `http://${address.name}:${address.port}`,
    region: 'us-east-1',
    credentials: { accessKeyId: 'app', secretAccessKey: 'app' },
  },
  table: 'IdempotencyStore',
}

/**
 * The endpoint of DynamoDB in the layer's region, with one table. Clients see the many machines of
 * the service as one.
 */
export class DynamoDBSite implements StoreSite {
  readonly addresses: StoreAddresses = { dynamodb }
  readonly port: StorePort
  readonly #node: DynamoDBNode

  constructor({ world, links }: SiteContext) {
    const node = new DynamoDBNode(world, address, world.clock(dynamodbClock))
    node.provision(dynamodb.table)
    world.network.place(address.host, address.name)
    world.network.listen(address.host, address.port, address.name, node, node.tap)
    this.#node = node
    this.port = new DynamoDBStore(node, links)
  }

  deployed(): void {
    this.#node.tables.settle()
  }

  resolve(name: string): string | null {
    return name === address.name ? address.host : null
  }

  dispose(): void {
    this.#node.dispose()
  }
}
