/**
 * Judges an invariant that a scenario defines. The invariant is user code, so an error or malformed
 * findings give the verdict unknown.
 */
import type { History } from '../contract/api/history.ts'
import { indexHistory } from '../contract/api/history-index.ts'
import {
  type Findings,
  notAsked,
  type OwnInvariant,
  ownName,
  type Verdict,
  type Violation,
} from '../contract/api/verdict.ts'
import { conclude } from './conclude.ts'

export function judgeOwn(invariant: OwnInvariant, history: History): Verdict {
  const reason = notAsked(ownName(invariant), history.header, [invariant])
  if (reason !== null) return { verdict: 'n/a', reason }
  const index = indexHistory(history)
  let found: unknown
  try {
    found = invariant.judge(history, index)
  } catch (error) {
    return {
      verdict: 'unknown',
      reason: `its \`judge\` threw (${error instanceof Error ? error.message : String(error)})`,
    }
  }
  const problem = problemOf(found)
  if (problem !== null) return { verdict: 'unknown', reason: `its \`judge\` ${problem}` }
  return conclude(index, found as Findings)
}

const lists = ['always', 'whereSupported', 'atEnd'] as const

function problemOf(found: unknown): string | null {
  if (typeof found !== 'object' || found === null) return 'returned no findings; return `{}` if nothing is wrong'
  if (found instanceof Promise) return 'returned a promise; return findings synchronously'
  const findings = found as Findings
  for (const name of Object.keys(findings))
    if (name !== 'doubt' && !(lists as readonly string[]).includes(name))
      return `returned an unknown \`${name}\`; findings have ${lists.join(', ')} and doubt`
  for (const name of lists) {
    const violations = findings[name] ?? []
    if (!Array.isArray(violations)) return `returned findings whose \`${name}\` is not a list`
    if (!violations.every(isViolation))
      return `returned a violation in \`${name}\` without a kind of one word, a key or null, a sentence and a list of events`
  }
  return typeof (findings.doubt ?? '') === 'string' ? null : 'returned a `doubt` that is not a string'
}

function isViolation(one: unknown): one is Violation {
  const { kind, key, sentence, events } = (one ?? {}) as Partial<Violation>
  if (typeof kind !== 'string' || !/^\S+$/.test(kind) || typeof sentence !== 'string') return false
  return (key === null || typeof key === 'string') && Array.isArray(events) && events.every(Number.isInteger)
}
