/**
 * Limits of a plan: well beyond what a scenario draws, and small enough for any machine. A plan
 * from a token or a file is untrusted input, and is played only within these limits.
 */
import type { Plan } from '../../contract/api/plan.ts'

/** The maximum of each count. */
const most = { consumers: 64, messages: 1_000, faults: 1_000, maxAttempts: 10_000, machines: 16 } as const
/**
 * The longest duration in a plan. A run ends after four days, but a record may have a longer time
 * to live.
 */
const longestMs = 100 * 86_400_000
/** The maximum number of characters of a key, and of a payload or a fault as JSON. */
const longest = { key: 65_536, data: 262_144 } as const

/**
 * The part of the plan that is too large, in one clause; null if no part is. `plan` must have
 * passed `planProblem`.
 */
export function boundsProblem(plan: Plan): string | null {
  for (const name of ['consumers', 'maxAttempts'] as const)
    if (plan[name] > most[name]) return `its plan's \`${name}\` is ${plan[name]}; at most ${most[name]}`
  for (const name of ['messages', 'faults'] as const)
    if (plan[name].length > most[name]) return `its plan has ${plan[name].length} ${name}; at most ${most[name]}`
  for (const name of ['shards', 'independent', 'replicas', 'spares', 'sentinels'] as const) {
    const machines = plan.redis?.[name] ?? 0
    if (machines > most.machines) return `its plan's \`redis.${name}\` is ${machines}; at most ${most.machines}`
  }
  const at = plan.messages.findIndex(({ key, payload }) => key.length > longest.key || isLong(payload))
  if (at !== -1) return `its plan's message ${at + 1} has a key or payload that is too long`
  const odd = plan.faults.findIndex(isLong)
  if (odd !== -1) return `its plan's fault ${odd + 1} is too large`
  const { messages, faults, ...rest } = plan
  if (
    tooLong(rest) ||
    messages.some(({ publishAtMs, stampOffMs }) => tooLong(publishAtMs) || tooLong(stampOffMs)) ||
    faults.some(tooLong)
  )
    return `its plan has a number over ${longestMs} (100 days in milliseconds)`
  return null
}

function isLong(data: unknown): boolean {
  return (JSON.stringify(data) ?? '').length > longest.data
}

/** True if the data contain a number beyond `longestMs`, at any depth. */
function tooLong(data: unknown): boolean {
  if (typeof data === 'number') return Math.abs(data) > longestMs
  return typeof data === 'object' && data !== null && Object.values(data).some(tooLong)
}
