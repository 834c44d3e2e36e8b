/**
 * A store beside Redis in a live run: its real server, as faults, links, layers and the verdict
 * meet it.
 */
import type { StoreAddresses } from '../../contract/api/store.ts'
import type { StorePort } from '../../run/ports.ts'
import type { Standstill } from '../evidence/standstill.ts'
import type { PostgresSessions } from '../postgres/sessions.ts'
import type { Address } from '../proxy/link-proxy.ts'

export interface LiveSite {
  /** As faults reach it. */
  readonly port: StorePort
  /** Where links to it lead. */
  readonly address: Address
  /** Of the last time that it was to stand still. */
  readonly standstill: Standstill
  /** Of the store's server: what it tells of its sessions. */
  readonly sessions: PostgresSessions
  /** As a layer is given it whose link has that port of this machine. */
  addresses(port: number): StoreAddresses
  /**
   * Effects of these requests are in a transaction that has committed: told where the run follows a
   * schedule.
   */
  committed(requests: readonly number[]): void
  /** Ready for the first deployment. */
  open(): Promise<void>
  /** @throws LiveProblem where it ended, and no fault ended it */
  look(): Promise<void>
  /**
   * What it alone knows of the run comes into the history. Answers why the run is not to be judged;
   * null where it is.
   */
  conclude(): Promise<string | null>
  /** Connections of the harness's own. */
  close(): Promise<void>
}
