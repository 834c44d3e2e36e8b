/**
 * A store besides Redis in a live run: the real server for faults, links, layers and the verdict.
 */
import type { StoreAddresses } from '../../contract/api/store.ts'
import type { StorePort } from '../../run/ports.ts'
import type { Standstill } from '../evidence/standstill.ts'
import type { PostgresSessions } from '../postgres/sessions.ts'
import type { Address } from '../proxy/link-proxy.ts'

export interface LiveSite {
  /** The port for faults. */
  readonly port: StorePort
  /** The target of links to it. */
  readonly address: Address
  /** The evidence of its last freeze. */
  readonly standstill: Standstill
  /** The sessions of its server. */
  readonly sessions: PostgresSessions
  /** The addresses for a layer whose link has that port of this machine. */
  addresses(port: number): StoreAddresses
  /**
   * The effects of these requests belong to a transaction that has committed. Called only in a
   * scheduled run.
   */
  committed(requests: readonly number[]): void
  /** Prepares it for the first deployment. */
  open(): Promise<void>
  /** @throws LiveProblem if it ended without a fault */
  look(): Promise<void>
  /**
   * Adds its knowledge of the run to the history. Returns why the run must not be judged; null if
   * it may be.
   */
  conclude(): Promise<string | null>
  /** Closes the connections of the harness. */
  close(): Promise<void>
}
