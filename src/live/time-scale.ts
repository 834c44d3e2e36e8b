/** A plan on real machines: every duration in it times the scale. What a layer fixes for itself stays as it is. */
import type { JsonValue } from '../contract/json.ts'
import type { Plan, PlannedFault } from '../contract/plan.ts'

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

/** Names carry units last, so every field of a fault that ends in `Ms` is a duration. `near` follows the layer's own limits. */
function scaledFault(fault: PlannedFault, ms: (value: number) => number, scale: number): PlannedFault {
  const changed: Record<string, JsonValue> = {}
  for (const [name, value] of Object.entries(fault))
    if (name.endsWith('Ms') && typeof value === 'number' && value !== 0) changed[name] = ms(value)
  const { when } = fault
  const moved = when.at === 'time' ? { ...when, ms: Math.round(when.ms * scale) } : when
  return { ...fault, ...changed, when: moved }
}
