import type { History } from '../../contract/api/history.ts'
import type { Mechanism, RareMechanism } from '../../contract/api/implementation.ts'
import type { SinkKind } from '../../contract/api/sink.ts'
import type { StoreKind } from '../../contract/api/store.ts'

/**
 * A state that a scenario must reach in some run; otherwise a pass means nothing. Like a checker,
 * it reads facts only.
 */
export interface Goal {
  /** A stable name, which scenarios, reports and results use. */
  readonly name: string
  /** One sentence about the state, for reports. */
  readonly about: string
  /**
   * A mechanism that a layer needs to reach the goal. For a layer without it, the goal is `n/a`.
   */
  readonly needs?: Mechanism | RareMechanism
  /** Sinks on which the goal is `n/a`, because layers need not reach it on these sinks. */
  readonly notOn?: { readonly sinks: readonly SinkKind[]; readonly because: string }
  /**
   * The store whose clients' events the goal reads. For a layer without the store, the goal is
   * `n/a`.
   */
  readonly store?: StoreKind
  /**
   * True if the goal reads facts that only the simulator knows, so that live runs cannot reach it.
   */
  readonly onlySimulated?: true
  reached(history: History): boolean
}
