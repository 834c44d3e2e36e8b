import type { History } from '../../contract/api/history.ts'
import type { Mechanism, RareMechanism } from '../../contract/api/implementation.ts'
import type { SinkKind } from '../../contract/api/sink.ts'
import type { StoreKind } from '../../contract/api/store.ts'

/**
 * A state that a scenario must reach in some run, or its pass means nothing. Like a checker, it
 * reads facts only.
 */
export interface Goal {
  /** Stable: scenarios, reports and results name it. */
  readonly name: string
  /** One sentence for people about the state. */
  readonly about: string
  /** A mechanism without which a layer cannot reach the goal, which is then `n/a`. */
  readonly needs?: Mechanism | RareMechanism
  /** Sinks on which the goal is `n/a`, because layers need not reach it there. */
  readonly notOn?: { readonly sinks: readonly SinkKind[]; readonly because: string }
  /** The goal reads events of this store's clients. It is `n/a` for a layer without the store. */
  readonly store?: StoreKind
  /** The goal reads facts that only the simulator knows, so live runs cannot reach it. */
  readonly onlySimulated?: true
  reached(history: History): boolean
}
