/**
 * A store other than Redis in a live run: its real server as seen by faults, links, layers and the
 * verdict.
 */
import type { StoreAddresses } from '../../contract/api/store.ts'
import type { StorePort } from '../../run/ports.ts'
import type { Standstill } from '../evidence/standstill.ts'
import type { PostgresSessions } from '../postgres/sessions.ts'
import type { Address } from '../proxy/link-proxy.ts'

export interface LiveSite {
  /** The port on which faults act. */
  readonly port: StorePort
  /** The address to which links lead. */
  readonly address: Address
  /** The evidence of the server's last freeze. */
  readonly standstill: Standstill
  /** The sessions of the server. */
  readonly sessions: PostgresSessions
  /** The addresses for a layer whose link to the store has that port of this machine. */
  addresses(port: number): StoreAddresses
  /**
   * Called in a scheduled run when a transaction has committed that contains the effects of these
   * requests.
   */
  committed(requests: readonly number[]): void
  /** Prepares the store for the first deployment. */
  open(): Promise<void>
  /**
   * Checks the server.
   * @throws LiveProblem if it ended without a fault
   */
  look(): Promise<void>
  /**
   * Adds what the store knows of the run to the history. Returns why the run must not be judged;
   * null if it may be.
   */
  conclude(): Promise<string | null>
  /** Closes the connections of the harness. */
  close(): Promise<void>
}
