/** A plan on real machines: every duration in it times the scale. What a layer fixes for itself stays as it is. */
import type { JsonValue } from '../contract/json.ts'
import type { Plan, PlannedFault } from '../contract/plan.ts'

/** Fields of faults that are durations. `near` is not: it follows the layer's own limits. */
const durations = ['healAfterMs', 'extraMs', 'byMs'] as const

export function scaled(plan: Plan, scale: number): Plan {
  const ms = (value: number): number => Math.sign(value) * Math.max(1, Math.round(Math.abs(value) * scale))
  const retentionMs = Math.max(1000, ms(plan.retentionMs))
  return {
    ...plan,
    messages: plan.messages.map((message) => ({ ...message, publishAtMs: Math.round(message.publishAtMs * scale) })),
    leaseMs: ms(plan.leaseMs),
    visibilityMs: ms(plan.visibilityMs),
    redeliveryMs: ms(plan.redeliveryMs),
    retentionMs,
    effectMs: ms(plan.effectMs),
    effectTimeoutMs: ms(plan.effectTimeoutMs),
    faults: plan.faults.map((fault) => scaledFault(fault, ms, scale)),
  }
}

function scaledFault(fault: PlannedFault, ms: (value: number) => number, scale: number): PlannedFault {
  const changed: Record<string, JsonValue> = {}
  for (const name of durations) {
    const value = fault[name]
    if (typeof value === 'number' && value !== 0) changed[name] = ms(value)
  }
  const { when } = fault
  const moved = when.at === 'time' ? { ...when, ms: Math.round(when.ms * scale) } : when
  return { ...fault, ...changed, when: moved }
}
