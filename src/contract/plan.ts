import type { JsonValue } from './json.ts'

/**
 * Every boundary at which a fault can strike, in the order in which one attempt passes them (DESIGN 3.8).
 * `command` and `script` boundaries carry the command's label (`GET`, `EVALSHA acquire`).
 */
export const boundaries = [
  'delivery-received',
  'command-unsent',
  'command-unexecuted',
  'command-executed',
  'reply-received',
  'effect-unsent',
  'effect-unapplied',
  'effect-applied',
  'effect-answered',
  'answered',
  'acknowledged',
] as const
export type Boundary = (typeof boundaries)[number]

/** When a planned fault strikes: at a time, or when a consumer slot passes a boundary for the nth time. */
export type Trigger =
  | { readonly at: 'time'; readonly ms: number }
  | { readonly at: Boundary; readonly consumer: number; readonly nth: number }

/** One fault as drawn: data. `kind` names a file of `src/sim/faults/`; the parameters are that fault's own. */
export interface PlannedFault {
  readonly kind: string
  readonly when: Trigger
  /** Milliseconds until it heals; absent where healing makes no sense; 0 heals at once. */
  readonly healAfterMs?: number
  /**
   * In place of `healAfterMs`, or of `extraMs` in a fault that does not heal: as long as one of the time limits that the
   * layer has set by then, and `byMs` more.
   * Limits are numbered as they come; 0 is the lease.
   */
  readonly near?: { readonly limit: number; readonly byMs: number }
  readonly [parameter: string]: JsonValue | undefined
}

export interface PlannedMessage {
  readonly key: string
  readonly payload: JsonValue
  readonly publishAtMs: number
}

/** Everything drawn before a run: workload, timings, faults. JSON-serialisable; all times in virtual milliseconds. */
export interface Plan {
  readonly consumers: number
  readonly messages: readonly PlannedMessage[]
  readonly leaseMs: number
  readonly retentionMs: number
  /** The broker's visibility time-out: unanswered deliveries come back after it. */
  readonly visibilityMs: number
  /** How long the broker waits before it delivers again what was answered `retry`, or threw. */
  readonly redeliveryMs: number
  /** Deliveries of one message before the broker gives up on it. */
  readonly maxAttempts: number
  /** How long the sink works on one effect. */
  readonly effectMs: number
  /** After how long without an answer `sink.perform` rejects with `SinkTimeout`. */
  readonly effectTimeoutMs: number
  readonly faults: readonly PlannedFault[]
}
