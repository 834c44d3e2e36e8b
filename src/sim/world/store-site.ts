import type { VirtualProcess } from 'virtual-node/runtime'
import type { StoreAddresses } from '../../contract/api/store.ts'
import type { StorePort } from '../../run/ports.ts'
import type { SessionEvent } from './postgres/session-traffic.ts'
import type { SimulatedLinks } from './simulated-links.ts'
import type { TransactionalSink } from './transactional-sink.ts'
import type { World } from './world-state.ts'

/** What a server owes a process. */
export interface StoreWait {
  /** The command that it has not answered: it blocks. */
  readonly command?: string
  /** By then it answers, whatever happens. */
  readonly endsByItself?: true
  readonly channel?: string
}

/** The deployment of a store on the simulated network, for layers that ask for one beside Redis. */
export interface StoreSite {
  /** As layers are given it. */
  readonly addresses: StoreAddresses
  /** As faults reach it. */
  readonly port: StorePort
  /** The deployment is done: what it has written was there long before the run. */
  deployed(): void
  /** The address of one of its machines by its name; null for other names. */
  resolve(name: string): string | null
  /** What its servers owe that process; absent: they answer at once, or not at all. */
  waitsOf?(process: VirtualProcess): readonly StoreWait[]
  /** The run is over: see `VirtualProcess.dispose`. */
  dispose(): void
}

/** The arguments of a store beside Redis. */
export interface SiteContext {
  readonly world: World
  readonly links: SimulatedLinks
  /** Null if the sink of the run is of another kind. */
  readonly transactional: TransactionalSink | null
  /** PostgreSQL records the statements of its sessions here. Null if nothing reads them. */
  readonly sessions: SessionEvent[] | null
}
