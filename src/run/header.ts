import type { RunHeader } from '../contract/history.ts'
import type { JsonValue } from '../contract/json.ts'
import type { Plan } from '../contract/plan.ts'
import type { SinkKind } from '../contract/sink.ts'
import { redeliveryBoundMs } from './broker.ts'

interface RunSubject {
  readonly scenario: string
  readonly implementation: string
  readonly sink: SinkKind
  readonly recoveryBoundMs: number
}

/** What a history opens with: what ran, and the bounds that it is judged by. */
export function headerOf({ scenario, implementation, sink, recoveryBoundMs }: RunSubject, plan: Plan): RunHeader {
  return {
    scenario,
    implementation,
    sink,
    leaseMs: plan.leaseMs,
    retentionMs: plan.retentionMs,
    visibilityMs: plan.visibilityMs,
    redeliveryMs: redeliveryBoundMs,
    recoveryBoundMs,
    faultFree: plan.faults.length === 0,
    plan: plan as unknown as JsonValue,
  }
}
