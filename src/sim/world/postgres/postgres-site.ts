import type { VirtualProcess } from 'virtual-node/runtime'
import type { PostgresPlan } from '../../../contract/api/plan.ts'
import type { PostgresAddress, StoreAddresses } from '../../../contract/api/store.ts'
import { postgresClock } from '../../../run/faults/machine.ts'
import type { StorePort } from '../../../run/ports.ts'
import { effectsSchema } from '../../../run/sink/effects-table.ts'
import type { MachineAddress } from '../server-machine.ts'
import type { SiteContext, StoreSite, StoreWait } from '../store-site.ts'
import { PostgresNode } from './postgres-node.ts'
import { PostgresStore } from './postgres-store.ts'

const address: MachineAddress = { name: 'postgres', host: '10.0.0.201', port: 5432 }
const login = { user: 'app', password: 'app', database: 'app' }

const postgres: PostgresAddress = {
  options: { host: address.name, port: address.port, ...login },
  url: `postgres://${login.user}:${login.password}@${address.name}:${address.port}/${login.database}`,
}

/** PostgreSQL's defaults (postgresql.conf of version 15). */
const usual: PostgresPlan = { synchronousCommit: true, maxConnections: 100, recoveryMs: 0 }

/**
 * The PostgreSQL deployment of a run: one server at one address. If the server has a standby, the
 * standby takes over its address.
 */
export class PostgresSite implements StoreSite {
  readonly addresses: StoreAddresses
  readonly port: StorePort
  readonly #node: PostgresNode

  constructor({ world, links, transactional, sessions }: SiteContext) {
    const { limitsTransactions } = world
    const settings = { ...(world.plan.postgres ?? usual), transactional, limitsTransactions }
    const { standby } = settings
    this.addresses = { postgres: { ...postgres, ...(standby === undefined ? {} : { standby }) } }
    const node = new PostgresNode(world, address, world.clock(postgresClock), settings, sessions)
    world.network.place(address.host, address.name)
    world.network.listen(address.host, address.port, address.name, node, node.tap)
    if (transactional !== null) node.operate(login, effectsSchema)
    this.#node = node
    this.port = new PostgresStore(node, links)
  }

  deployed(): void {
    this.#node.checkpoint()
  }

  resolve(name: string): string | null {
    return name === address.name ? address.host : null
  }

  waitsOf(process: VirtualProcess): readonly StoreWait[] {
    return this.#node.waitsOf(process)
  }

  dispose(): void {
    this.#node.dispose()
  }
}
