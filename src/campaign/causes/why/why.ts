/**
 * Names the cause of a violation in one sentence, from the facts of its run. The first rule whose
 * facts apply gives the reason. If no rule applies, the sentence only states certain facts, such as
 * the last step and its reply. Rules must not guess, because a wrong sentence is worse than none.
 */
import { kindOfRepeat } from '../../../check/kind-of-repeat.ts'
import { pairOf } from '../../../check/repeat.ts'
import type { HistoryEvent } from '../../../contract/api/history.ts'
import type { Violation } from '../../../contract/api/verdict.ts'
import { durationText } from '../../../contract/results/time-text.ts'
import type { RunResult } from '../../types.ts'
import { nameOf } from './commands.ts'
import { type Evidence, evidenceOf, type Rule } from './evidence.ts'
import { answerText } from './parts.ts'
import { commitLost, doneForAnother, otherPayload, otherResult, tookBack } from './rules/answers.ts'
import { decidedByClientTime } from './rules/clocks.ts'
import { died, tookForFailure } from './rules/endings.ts'
import { blocksForGood, cameTooLate, didLast, holderDied, replyLost } from './rules/hangs.ts'
import { jobForgotten, shownOfForgotten, takenTwice } from './rules/jobs.ts'
import {
  expiredAtWork,
  holderAskedBefore,
  holderCameLate,
  scriptGrantedAgain,
  takenOverAtWork,
  takenOverByTime,
  takenOverInTurn,
} from './rules/leases.ts'
import {
  deadClaim,
  immortal,
  keptHalfOpen,
  lastOfAll,
  notDone,
  refusedForGood,
  threwAtOnce,
} from './rules/left-behind.ts'
import { lookedBeforeItsClaim } from './rules/looked-before.ts'
import { lostMember, lostMemberAsked } from './rules/lost-members.ts'
import { lostUnnamed } from './rules/lost-unnamed.ts'
import { openedByScript, scriptAfterDone } from './rules/opened.ts'
import { independentIn, lostQuorum } from './rules/quorum.ts'
import {
  calledTwice,
  lookedAtOnce,
  lookedTooEarly,
  neverAsked,
  performedAfterRefusedClaim,
  recordWrittenOver,
  wroteOverDone,
} from './rules/races.ts'
import { acceptedWasLost, deleted, expiredAfterDone, lostByRedis, replicaBehind } from './rules/records.ts'
import { readWasStale } from './rules/stale-reads.ts'
import { shownOfTakenOut, takenOutForGood } from './rules/taken-out.ts'
import { ofTransactions } from './rules/transactions.ts'
import { twoKeysMeet } from './rules/two-keys.ts'
import { performedUnanswered } from './rules/unanswered.ts'
import { watchEnded } from './rules/watches.ts'
import { meetingOf, shownOf } from './two-keys.ts'
import { isUnheard, whileAway } from './unreachable.ts'

/** The rules in order of precedence. */
const rules: readonly Rule[] = [
  takenTwice,
  calledTwice,
  lostByRedis,
  acceptedWasLost,
  takenOutForGood,
  jobForgotten,
  lostUnnamed,
  lostMember,
  replicaBehind,
  readWasStale,
  ...ofTransactions,
  watchEnded,
  performedUnanswered,
  neverAsked,
  performedAfterRefusedClaim,
  twoKeysMeet,
  wroteOverDone,
  recordWrittenOver,
  decidedByClientTime,
  openedByScript,
  died,
  tookForFailure,
  takenOverByTime,
  holderCameLate,
  takenOverAtWork,
  takenOverInTurn,
  expiredAfterDone,
  lookedBeforeItsClaim,
  lookedTooEarly,
  lookedAtOnce,
  deleted,
  commitLost,
  tookBack,
  doneForAnother,
  otherResult,
  deadClaim,
  keptHalfOpen,
  threwAtOnce,
  refusedForGood,
  immortal,
  blocksForGood,
  replyLost,
  cameTooLate,
  holderDied,
]

/**
 * The rules for independent servers. Other rules assume that a name denotes one key. On independent
 * servers, a name denotes one key on each server.
 */
const ofIndependent: readonly Rule[] = [lostQuorum]

/**
 * Rules for facts that are certain but are not a cause, because two bugs may have the same
 * sentence. These facts are more specific than the last step. In order of precedence.
 */
const certainties: readonly Rule[] = [
  lostMemberAsked,
  scriptAfterDone,
  scriptGrantedAgain,
  holderAskedBefore,
  expiredAtWork,
  otherPayload,
  didLast,
  lastOfAll,
  notDone,
]

/**
 * Names the cause of a violation in a recorded run. `why`: a clause without a period, such as `the
 * lease ended while …`. `reason`: equal to `why` if a rule applied; null if only certain facts are
 * known. `ofAnyKind`: violations of different kinds with this reason are the same bug. `shown`:
 * `seq` of further events that the reason names.
 */
export function whyOf(
  run: Pick<RunResult, 'history' | 'executed'>,
  violation: Violation,
): {
  readonly why: string
  readonly reason: string | null
  readonly ofAnyKind?: true
  readonly shown?: readonly number[]
} {
  const evidence = evidenceOf(run, violation)
  const found: Partial<Reason> = reasonOf(evidence) ?? reasonOfOtherPayload(evidence) ?? {}
  const { reason = null, ofAnyKind, shown } = found
  const why = `${reason ?? certain(evidence)}${forgottenText(evidence)}`
  return { why, reason, ...(ofAnyKind ? { ofAnyKind } : {}), ...(shown ? { shown } : {}) }
}

/**
 * An additional condition of the cause: the sink had forgotten the key. A keyed sink that remembers
 * a key decides about it only once.
 */
function forgottenText({ violation, history }: Evidence): string {
  for (const seq of violation.events) {
    const event = history.events[seq]!
    if ('forgottenAfterMs' in event && event.forgottenAfterMs !== undefined)
      return `; the sink remembered the key for ${durationText(event.forgottenAfterMs)}`
  }
  return ''
}

interface Reason {
  readonly reason: string
  readonly ofAnyKind?: true
  readonly shown?: readonly number[]
}

function reasonOf(evidence: Evidence): Reason | null {
  for (const rule of independentIn(evidence) > 0 ? ofIndependent : rules) {
    const reason = rule(evidence)
    if (reason === null) continue
    if (rule === twoKeysMeet) return { reason, shown: shownOf(meetingOf(evidence)!, evidence) }
    if (rule === takenOutForGood) return { reason, shown: shownOfTakenOut(evidence) }
    if (rule === jobForgotten) return { reason, shown: shownOfForgotten(evidence) }
    return { reason, ...(ofTransactions.includes(rule) ? { ofAnyKind: true } : {}) }
  }
  return null
}

/**
 * Explains two effects of one key with different payloads: why the second attempt performed. The
 * payloads are treated as if they were equal.
 */
function reasonOfOtherPayload(evidence: Evidence): Pick<Reason, 'reason' | 'shown'> | null {
  const { history, reading, violation } = evidence
  if (violation.kind !== 'executed-with-another-payload') return null
  const shown = new Set(violation.events)
  const [one, other] = reading.of('effect-applied').filter(({ seq }) => shown.has(seq))
  if (one === undefined || other === undefined) return null
  const { kind } = kindOfRepeat(history.header, reading, one, other)
  const attempts = pairOf(history.header.leaseMs, reading, one, other)
  const found = reasonOf({ ...evidence, violation: { ...violation, kind }, attempts })
  if (found === null) return null
  return { ...found, reason: `${found.reason}; the second message had another payload` }
}

function certain(evidence: Evidence): string {
  for (const certainty of independentIn(evidence) > 0 ? [otherPayload, notDone] : certainties) {
    const sentence = certainty(evidence)
    if (sentence !== null) return sentence
  }
  return lastStep(evidence)
}

/** A sentence about the last step, which can be made for every violation. */
function lastStep(evidence: Evidence): string {
  const { decided, violation, history } = evidence
  // The sentence names a reply only if it is known which attempt received the reply.
  if (decided?.command == null || decided.shared) return violation.sentence
  const { command, actedSeq } = decided
  const after = isUnheard(evidence, command, actedSeq)
    ? `${nameOf(command)} had been executed and its reply was lost`
    : answerText(command, 'had answered')
  return `${actedText(history.events[actedSeq])} after ${after}${whileAway(evidence, command.process, command.seq, actedSeq)}`
}

function actedText(acted: HistoryEvent | undefined): string {
  if (acted?.type === 'effect-sent') return 'the last effect was sent'
  return acted?.type === 'answered' ? `the attempt answered ${acted.outcome.status}` : 'the attempt ended'
}
