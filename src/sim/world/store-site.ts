import type { StoreAddresses } from '../../contract/api/store.ts'
import type { StorePort } from '../../run/ports.ts'

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
  /** The run is over: see `VirtualProcess.dispose`. */
  dispose(): void
}
