import type { VirtualProcess } from 'virtual-node/runtime'
import type { StoreAddresses } from '../../contract/api/store.ts'
import type { StorePort } from '../../run/ports.ts'
import type { SessionEvent } from './postgres/session-traffic.ts'
import type { SimulatedLinks } from './simulated-links.ts'
import type { TransactionalSink } from './transactional-sink.ts'
import type { World } from './world-state.ts'

/** A reply or message for which a process waits. */
export interface StoreWait {
  /** The blocked command without a reply. */
  readonly command?: string
  /** Set if the server answers after a time, whatever happens. */
  readonly endsByItself?: true
  readonly channel?: string
}

/** The deployment of a store other than Redis on the simulated network. */
export interface StoreSite {
  /** The addresses that layers get. */
  readonly addresses: StoreAddresses
  /** The interface for faults. */
  readonly port: StorePort
  /** Called when the layer's `deploy` is done. Its writes count as older than the run. */
  deployed(): void
  /** The address of a machine of the deployment by its name; null for other names. */
  resolve(name: string): string | null
  /** The waits of the process; absent if the servers answer at once or not at all. */
  waitsOf?(process: VirtualProcess): readonly StoreWait[]
  /** Called when the run is over; see `VirtualProcess.dispose`. */
  dispose(): void
}

/** The arguments of a store other than Redis. */
export interface SiteContext {
  readonly world: World
  readonly links: SimulatedLinks
  /** Null if the sink of the run is of another kind. */
  readonly transactional: TransactionalSink | null
  /** PostgreSQL records the statements of its sessions here. Null if nothing reads them. */
  readonly sessions: SessionEvent[] | null
}
