/**
 * Derives the verdict on a run, which may be incomplete, from a checker's findings.
 *
 * A run is complete if it came to rest and used only simulated features. Otherwise a checker
 * without findings returns unknown, never valid. A finding counts only if the missing part of the
 * run could not have changed it: two effects in the ledger stay there, but a message that was not
 * settled might have been settled later.
 */
import type { HistoryIndex } from '../contract/api/history-index.ts'
import type { Findings, Verdict } from '../contract/api/verdict.ts'

export function conclude(reading: HistoryIndex, findings: Findings): Verdict {
  const unsupported = reading.of('unsupported')[0]
  const ended = reading.of('ended').at(-1)
  const { always = [], whereSupported = [], atEnd = [], doubt = null } = findings

  const whole = unsupported === undefined && ended?.complete === true
  const violations = [...always, ...(unsupported ? [] : whereSupported), ...(whole ? atEnd : [])]
  if (violations.length > 0) {
    const rest = conclude(reading, { doubt })
    return { verdict: 'violated', violations, ...(rest.verdict === 'unknown' ? { doubt: rest.reason } : {}) }
  }
  if (unsupported) return { verdict: 'unknown', reason: `not simulated: ${unsupported.what}` }
  if (ended === undefined) return { verdict: 'unknown', reason: 'the history has no end' }
  if (!ended.complete)
    return { verdict: 'unknown', reason: `the run was not finished: ${ended.why ?? 'no reason given'}` }
  return doubt === null ? { verdict: 'valid' } : { verdict: 'unknown', reason: doubt }
}
