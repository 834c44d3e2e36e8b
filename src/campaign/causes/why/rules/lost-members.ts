/**
 * Rules about the loss of a whole structure in which the layer keeps one member for each message: a
 * day's hash, a set, a bitmap. The executed commands show which member belongs to which message,
 * and that only the loss can have removed the member.
 */
import type { EventOf } from '../../../../contract/api/history-index.ts'
import { keysNamedIn } from '../../../../contract/results/keys-named-in.ts'
import { textOf } from '../../../../sim/world/text-of.ts'
import type { ExecutedCommand } from '../../../../sim/world.ts'
import { commandsOf, isShared, replyClass } from '../../deciding-step.ts'
import { isScript, keysNamedBy, nameOf } from '../commands.ts'
import type { Evidence, Rule } from '../evidence.ts'
import { atTheirExec } from '../executed-in-multi.ts'
import { isLostWith, nodeOf } from '../fate.ts'
import { hasWritten, isAbout, leaves, type Reported, reportedBy, scoreGivenBy } from '../members.ts'
import { whatIs } from '../parts.ts'
import { isTaken, livesUntil, sendersAreKnown, wouldHaveStopped } from '../would-have-stopped.ts'
import { lossText } from './records.ts'

interface Missed {
  readonly lost: EventOf<'data-lost'>
  readonly written: ExecutedCommand
  readonly question: ExecutedCommand
  readonly isQuestion: boolean
  /** The lost record, in words. */
  readonly what: string
}

/**
 * The next attempt read or claimed only the lost member. If the member had existed, it would have
 * stopped the attempt.
 */
export const lostMember: Rule = (evidence) => {
  const missed = missedMembers(evidence).find(
    ({ isQuestion, written, question }) => isQuestion && wouldHaveStopped(written, question, evidence),
  )
  return missed === undefined ? null : `${lostText(missed, evidence)}; so the next attempt performed again`
}

/**
 * A fact, but not a reason. It is not visible from outside whether the layer relied on the reply or
 * only kept a count, or how the layer treats an overdue claim.
 */
export const lostMemberAsked: Rule = (evidence) => {
  const [missed] = missedMembers(evidence)
  if (missed === undefined) return null
  const { question } = missed
  return `${lostText(missed, evidence)}; ${nameOf(question)} of the next attempt then answered ${replyClass(question.reply)}`
}

const lostText = ({ lost, what }: Missed, evidence: Evidence): string => lossText(lost, what, evidence)

/**
 * Lost members, if the attempt's commands named only the structure of the member, or if the member
 * was a record of the effect.
 */
function missedMembers(evidence: Evidence): Missed[] {
  const { decided, reading } = evidence
  if (decided === null || !sendersAreKnown(evidence)) return []
  const executed = atTheirExec(evidence.executed)
  const steps = commandsOf(decided.delivery, decided.actedSeq, executed, reading)
  if (steps.some((one) => isScript(one))) return []
  const isAlone = new Set(steps.flatMap(keysNamedBy)).size === 1
  return steps.flatMap((question) => {
    const reported = reportedBy(question)
    if (!reported?.wasFree || isShared(question, decided.delivery, reading)) return []
    const missed = missedBy(question, reported, executed.slice(0, executed.indexOf(question)), evidence)
    // A record of the effect would have stopped the attempt, whatever other commands it sent.
    return missed !== null && (isAlone || whatIs(missed.written, evidence) === 'record') ? [missed] : []
  })
}

/**
 * The member that the first attempt's process wrote and that would still have existed without a
 * loss. `before`: the commands that were executed before the question.
 */
function missedBy(
  question: ExecutedCommand,
  asked: Reported,
  before: readonly ExecutedCommand[],
  evidence: Evidence,
): Missed | null {
  const { structure, member, isQuestion } = asked
  const { process, began, delivery } = evidence.attempts!.first
  const losses = evidence.reading
    .of('data-lost')
    .filter(({ seq, redisKeys = [] }) => seq < question.seq && redisKeys.includes(structure))
  const last = losses.at(-1)
  if (last === undefined || delivery === undefined) return null
  const about = before.filter((one) => isAbout(one, structure))
  const written = about.findLast((one) => isLostWith(one, last, evidence) && hasWritten(one, member))
  if (written === undefined || written.process !== process || written.seq <= began.seq) return null
  if (!isNamed(asked, evidence) && isShared(written, delivery, evidence.reading)) return null
  if (!isTaken(written, question, before, evidence)) return null
  const since = about.slice(about.indexOf(written) + 1)
  if (!since.every((one) => leaves(one, member, scoreGivenBy(written))) || !livesUntil(question, about, evidence))
    return null
  const gone = losses.filter((one) => isLostWith(written, one, evidence))
  if (gone.some(({ cause }) => cause === 'expiry')) return null
  const lost = gone.find((one) => explainsReply(one, nodeOf(written, evidence), nodeOf(question, evidence)))
  const what = isNamed(asked, evidence) ? 'the data written for the key' : 'the data of the first attempt'
  return lost === undefined ? null : { lost, written, question, isQuestion, what }
}

/**
 * True if the loss explains the reply. `written`: the server that had received the member. `asked`:
 * the server that replied. Either `asked` had lost the member or was promoted without the member,
 * or `written` was a replaced primary and `asked` is another server.
 */
function explainsReply({ cause, node }: EventOf<'data-lost'>, written: string | null, asked: string | null): boolean {
  if (cause === 'split-brain') return written === node && asked !== null && asked !== node
  if (cause === 'failover') return asked === node
  return written === asked && (asked === null || asked === node)
}

/** True if the member is named after the key. Then its writer does not matter. */
const isNamed = ({ member }: Reported, { reading, attempts }: Evidence): boolean =>
  keysNamedIn(textOf(member), reading.of('published')).has(attempts!.key)
