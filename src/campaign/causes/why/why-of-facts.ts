/**
 * Names the cause of a violation of a run of which nobody noted what Redis executed: one on real
 * servers. Only rules speak that need none of it; where none does, the cause is not known. An
 * expiry is told when the server deletes the key, which may be long after, so that no rule about
 * expiries is among them.
 */
import type { History } from '../../../contract/api/history.ts'
import type { Violation } from '../../../contract/api/verdict.ts'
import { evidenceOf, type Rule } from './evidence.ts'
import { otherPayload, otherResult } from './rules/answers.ts'
import { cameLate, diedAfterSending, reportedAnError } from './rules/facts-alone.ts'
import { calledTwice } from './rules/races.ts'
import { lostByRedis } from './rules/records.ts'

/** In this order. */
const rules: readonly Rule[] = [
  calledTwice,
  lostByRedis,
  diedAfterSending,
  reportedAnError,
  cameLate,
  otherResult,
  otherPayload,
]

/** A clause without an end, as `whyOf`; null where the facts do not say. */
export function whyOfFacts(history: History, violation: Violation): string | null {
  const evidence = evidenceOf({ history, executed: [] }, violation)
  for (const rule of rules) {
    const sentence = rule(evidence)
    if (sentence !== null) return sentence
  }
  return null
}
