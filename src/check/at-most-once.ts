/**
 * A violation of `at-most-once`: the sink applied two effects for one key and fingerprint.
 *
 * An effect that was cancelled at a `cancellable` sink does not count: the effects that remain when
 * the run is at rest are judged. Every effect after a key's first is one violation, reported
 * together with the effect before it. (Two payloads under one key belong to `payload-bound`.)
 * `kind-of-repeat.ts` decides the kind. The violation is certain in every run, complete or not,
 * because the ledger keeps both effects. On a `cancellable` sink it counts only in complete runs,
 * because an effect could still be cancelled.
 */
import type { History } from '../contract/api/history.ts'
import { type EventOf, type HistoryIndex, indexHistory } from '../contract/api/history-index.ts'
import type { Invariant, Verdict, Violation } from '../contract/api/verdict.ts'
import { msText } from '../contract/results/time-text.ts'
import { conclude } from './conclude.ts'
import { kindOfRepeat } from './kind-of-repeat.ts'

type Applied = EventOf<'effect-applied'>

function violationOf(history: History, reading: HistoryIndex, first: Applied, again: Applied): Violation {
  const { kind, because, events } = kindOfRepeat(history.header, reading, first, again)
  const seqs = new Set([first.seq, again.seq, ...events])
  return {
    kind,
    key: first.key,
    sentence:
      `the effect of ${first.key} was applied by ${first.process} at ${msText(first.atUs)} ` +
      `and again by ${again.process} at ${msText(again.atUs)}: ${because}` +
      (history.header.sink === 'cancellable' ? '; neither was cancelled' : ''),
    events: [...seqs].sort((a, b) => a - b),
    ...(again.forgottenAfterMs === undefined ? {} : { sinkForgot: true }),
  }
}

function judge(history: History): Verdict {
  const reading = indexHistory(history)
  const last = new Map<string, Applied>()
  const violations: Violation[] = []
  for (const applied of reading.standing) {
    const same = `${applied.key}\n${applied.fingerprint}`
    const before = last.get(same)
    if (before) violations.push(violationOf(history, reading, before, applied))
    last.set(same, applied)
  }
  return conclude(reading, history.header.sink === 'cancellable' ? { atEnd: violations } : { always: violations })
}

export const atMostOnce: Invariant = {
  name: 'at-most-once',
  about: 'The sink applies at most one effect for one key and payload.',
  demand: 'The sink applies at most one effect for one key and payload.',
  broken: 'one effect happened twice',
  remedies: {
    duplicate:
      'The second attempt should have found the key taken, and waited or answered with the receipt of the first.',
    zombie:
      'An attempt must not reach the sink after its lease. A key whose effect may be under way must not be taken over.',
    'repeat-after-crash':
      'The first request was in doubt: the second attempt should have asked the sink or dead-lettered the message.',
    'repeat-after-loss:split-brain':
      'A write on a replaced primary is lost: the effect should have waited until the replicas had it.',
    'repeat-after-loss:expiry': 'A record should live for as long as copies of its message may arrive.',
    'repeat-after-loss': 'With its record gone, the message should have been treated as in doubt, not as new.',
    'repeat-after-error':
      'An error does not prove that the effect failed: the layer should have asked the sink or dead-lettered the message.',
  },
  judge,
}
