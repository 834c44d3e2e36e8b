import { currentWord } from '../contract/api/former-names.ts'
import type { JsonValue } from '../contract/api/json.ts'
import type { Outcome } from '../contract/api/message.ts'
import type { Answer } from './broker.ts'

/**
 * The outcome of a handler as it is sent to the broker: plain JSON, with only the members that
 * belong to its status. `describe` formats an error that JSON threw.
 */
export function checkedOutcome(outcome: unknown, describe: (error: unknown) => string): Answer {
  try {
    const checked = membersOf(outcome)
    return 'error' in checked || isSimple(checked.outcome) ? checked : JSON.parse(JSON.stringify(checked))
  } catch (error) {
    return { error: `handle answered something that is not JSON (${describe(error)})`, notAnOutcome: true }
  }
}

/**
 * True if JSON would not change any member, as for most outcomes. Numbers are excluded because JSON
 * changes -0.
 */
function isSimple(outcome: Outcome): boolean {
  for (const member of Object.values(outcome))
    if (member !== null && typeof member !== 'string' && typeof member !== 'boolean') return false
  return true
}

function membersOf(outcome: unknown): Answer {
  const status = currentWord((outcome as { status?: unknown } | null | undefined)?.status)
  if (status === 'done') {
    const {
      result = null,
      resultKept,
      reply,
    } = outcome as { result?: JsonValue; resultKept?: unknown; reply?: JsonValue }
    const beside = reply === undefined ? {} : { reply }
    return {
      outcome: resultKept === false ? { status, result: null, resultKept, ...beside } : { status, result, ...beside },
    }
  }
  if (status === 'accepted') return { outcome: { status } }
  if (status === 'refused') return { outcome: { status, error: String((outcome as { error?: unknown }).error ?? '') } }
  if (status === 'retry') return retry(outcome as { reason?: unknown; afterMs?: unknown })
  if (status === 'dead-letter')
    return { outcome: { status, reason: String((outcome as { reason?: unknown }).reason ?? '') } }
  return {
    error: `handle answered ${reported(outcome)} instead of an outcome ({ status: ${statuses} })`,
    notAnOutcome: true,
  }
}

function retry({ reason, afterMs }: { readonly reason?: unknown; readonly afterMs?: unknown }): Answer {
  const outcome = { status: 'retry', ...(typeof reason === 'string' && { reason }) } as const
  if (afterMs === undefined) return { outcome }
  if (typeof afterMs === 'number' && afterMs >= 0 && afterMs < Number.POSITIVE_INFINITY)
    return { outcome: { ...outcome, afterMs: Math.ceil(afterMs) } }
  return {
    error: `handle answered retry with afterMs ${reported(afterMs)}, which is not a number of milliseconds`,
    notAnOutcome: true,
  }
}

const statuses = "'done' | 'accepted' | 'refused' | 'retry' | 'dead-letter', …"

/** The answer, shortened for a sentence. */
function reported(answer: unknown): string {
  if (answer === undefined) return 'nothing'
  const text = JSON.stringify(answer) ?? typeof answer
  return text.length > 60 ? `${text.slice(0, 59)}…` : text
}
