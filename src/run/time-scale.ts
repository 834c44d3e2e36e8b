/**
 * Scales a plan for real machines: multiplies the durations of its workload and of its faults. The
 * settings of the servers (`redis`, `postgres`), `startsWithinMs` and durations that the layer
 * fixes itself do not change.
 */
import type { JsonValue } from '../contract/api/json.ts'
import type { Plan, PlannedFault, PlannedMessage } from '../contract/api/plan.ts'

export function scaled(plan: Plan, scale: number): Plan {
  const ms = (value: number): number => Math.sign(value) * Math.max(1, Math.round(Math.abs(value) * scale))
  const retentionMs = Math.max(1000, ms(plan.retentionMs))
  const { work, sinkRemembersMs } = plan
  return {
    ...plan,
    messages: plan.messages.map((message) => scaledMessage(message, scale)),
    leaseMs: ms(plan.leaseMs),
    visibilityMs: ms(plan.visibilityMs),
    redeliveryMs: ms(plan.redeliveryMs),
    retentionMs,
    effectMs: ms(plan.effectMs),
    effectTimeoutMs: ms(plan.effectTimeoutMs),
    ...(work === undefined ? {} : { work: { beforeMs: ms(work.beforeMs), afterMs: ms(work.afterMs) } }),
    ...(sinkRemembersMs === undefined ? {} : { sinkRemembersMs: ms(sinkRemembersMs) }),
    faults: plan.faults.map((fault) => scaledFault(fault, ms, scale)),
  }
}

function scaledMessage(message: PlannedMessage, scale: number): PlannedMessage {
  const { stampOffMs } = message
  const scaled = { ...message, publishAtMs: Math.round(message.publishAtMs * scale) }
  return stampOffMs === undefined ? scaled : { ...scaled, stampOffMs: Math.round(stampOffMs * scale) }
}

/**
 * The names of durations end in their units, so every field of a fault that ends in `Ms` is scaled.
 * `near` depends on the limits of the layer, and is not scaled.
 */
function scaledFault(fault: PlannedFault, ms: (value: number) => number, scale: number): PlannedFault {
  const changed: Record<string, JsonValue> = {}
  for (const [name, value] of Object.entries(fault))
    if (name.endsWith('Ms') && typeof value === 'number' && value !== 0) changed[name] = ms(value)
  const { when } = fault
  const moved = when.at === 'time' ? { ...when, ms: Math.round(when.ms * scale) } : when
  return { ...fault, ...changed, when: moved }
}
