/**
 * Names the cause of a violation in a run on real servers, which does not record executed commands.
 * Uses only rules that do not need these commands; if none applies, the cause is unknown. Rules
 * about expiries are excluded, because a real server reports an expiry when it deletes the key,
 * which may be long after the expiry.
 */
import type { History } from '../../../contract/api/history.ts'
import type { Violation } from '../../../contract/api/verdict.ts'
import { evidenceOf, type Rule } from './evidence.ts'
import { otherPayload, otherResult } from './rules/answers.ts'
import { cameLate, diedAfterSending, reportedAnError } from './rules/facts-alone.ts'
import { calledTwice } from './rules/races.ts'
import { lostByRedis } from './rules/records.ts'

/** The rules in order of precedence. */
const rules: readonly Rule[] = [
  calledTwice,
  lostByRedis,
  diedAfterSending,
  reportedAnError,
  cameLate,
  otherResult,
  otherPayload,
]

/**
 * The cause as a clause without a period, in the form that `whyOf` returns; null if no rule
 * applies.
 */
export function whyOfFacts(history: History, violation: Violation): string | null {
  const evidence = evidenceOf({ history, executed: [] }, violation)
  for (const rule of rules) {
    const sentence = rule(evidence)
    if (sentence !== null) return sentence
  }
  return null
}
