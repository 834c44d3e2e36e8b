import type { History } from '../../contract/api/history.ts'
import type { Mechanism, RareMechanism } from '../../contract/api/implementation.ts'
import type { SinkKind } from '../../contract/api/sink.ts'
import type { StoreKind } from '../../contract/api/store.ts'

/**
 * A state that a scenario must reach in some run, or its pass means nothing. Reads facts only, as
 * checkers do.
 */
export interface Goal {
  /** Stable: scenarios, reports and results name it. */
  readonly name: string
  /** What was reached, in one sentence for a person. */
  readonly about: string
  /** Without this mechanism a layer cannot get there, and the goal is `n/a` for it. */
  readonly needs?: Mechanism | RareMechanism
  /** On these sinks no layer has to get there, and the goal is `n/a`. */
  readonly notOn?: { readonly sinks: readonly SinkKind[]; readonly because: string }
  /** It reads what only clients of this store do: without it the goal is `n/a`. */
  readonly store?: StoreKind
  /** It reads facts that only the simulator knows, so that no live run can reach it. */
  readonly onlySimulated?: true
  reached(history: History): boolean
}
