/**
 * A store lost a whole structure, in which the layer keeps something for each message: a day's hash, a set, a map of bits. Which member is
 * whose is read off what was executed, and so is that nothing but the loss can have removed it.
 */
import type { EventOf } from '../../../contract/history-index.ts'
import { keysNamedIn } from '../../../contract/keys-named-in.ts'
import { mayBeOfAnother } from '../../../contract/whose-command.ts'
import type { ExecutedCommand } from '../../../sim/world.ts'
import { commandsOf, replyClass } from '../../deciding-step.ts'
import { isScript, keysNamedBy, nameOf } from '../commands.ts'
import type { Evidence, Rule } from '../evidence.ts'
import { atTheirExec } from '../executed-in-multi.ts'
import { atUsOf } from '../fate.ts'
import { isAbout, leaves, lifeGivenBy, scoreGivenBy, type Told, toldBy } from '../members.ts'
import { gaveUp } from './lost-unnamed.ts'
import { lossText } from './records.ts'

interface Missed {
  readonly lost: EventOf<'data-lost'>
  readonly question: ExecutedCommand
  readonly isQuestion: boolean
  /** What had been lost, in words. */
  readonly what: string
}

/** The next attempt asked for it, and for nothing else. */
export const lostMember: Rule = (evidence) => {
  const missed = missedMember(evidence)
  return missed?.isQuestion ? `${lostText(missed, evidence)}; so the next attempt performed again` : null
}

/** It is no reason: whether the layer went by the reply of such a command, or only counted, nobody can tell from outside. */
export const lostMemberAsked: Rule = (evidence) => {
  const missed = missedMember(evidence)
  if (missed === null) return null
  const { question } = missed
  return `${lostText(missed, evidence)}; ${nameOf(question)} of the next attempt then answered ${replyClass(question.reply)}`
}

const lostText = ({ lost, what }: Missed, evidence: Evidence): string => lossText(lost, what, evidence)

/** The attempt asked for that structure alone. */
function missedMember(evidence: Evidence): Missed | null {
  const { attempts, decided, violation, reading } = evidence
  if (attempts === null || decided === null || violation.kind.startsWith('repeat-after-loss:')) return null
  const executed = atTheirExec(evidence.executed)
  const steps = commandsOf(decided.delivery, decided.actedSeq, executed, reading)
  const names = new Set(steps.flatMap(keysNamedBy))
  if (names.size !== 1 || steps.some((one) => isScript(one))) return null
  for (const question of steps) {
    const told = toldBy(question)
    if (!told?.wasFree || mayBeOfAnother(sent(question), decided.delivery, reading)) continue
    const lost = lossBefore(question, told, executed, evidence)
    const what = isNamed(told, evidence) ? 'what had been written for the key' : 'what the first attempt had written'
    if (lost !== null) return { lost, question, isQuestion: told.isQuestion, what }
  }
  return null
}

/** The loss of what the first attempt's process had put there, which would have stood otherwise. */
function lossBefore(
  question: ExecutedCommand,
  asked: Told,
  executed: readonly ExecutedCommand[],
  evidence: Evidence,
): EventOf<'data-lost'> | null {
  const { structure, member } = asked
  const { process, began, delivery } = evidence.attempts!.first
  const losses = evidence.reading
    .of('data-lost')
    .filter(({ seq, redisKeys = [] }) => seq < question.seq && redisKeys.includes(structure))
  const last = losses.at(-1)
  if (last === undefined || delivery === undefined) return null
  const about = executed.slice(0, executed.indexOf(question)).filter((one) => isAbout(one, structure))
  const written = about.findLast((one) => {
    const told = toldBy(one)
    return one.seq <= last.seq && told?.isThere && told.member === member
  })
  if (written === undefined || written.process !== process || written.seq <= began.seq) return null
  if (!isNamed(asked, evidence) && mayBeOfAnother(sent(written), delivery, evidence.reading)) return null
  if (written.label === 'HSET' && gaveUp(delivery)) return null
  const since = about.slice(about.indexOf(written) + 1)
  if (!since.every((one) => leaves(one, member, scoreGivenBy(written))) || !livesUntil(question, about, evidence))
    return null
  const gone = losses.filter(({ seq }) => seq >= written.seq)
  if (gone.some(({ cause }) => cause === 'expiry')) return null
  return gone.find((lost) => hidIt(lost, nodeOf(written, evidence), nodeOf(question, evidence))) ?? null
}

/**
 * The server that was asked had lost it, or a promoted one never had it; or it was written to a primary that had been replaced, and
 * another server was asked.
 */
function hidIt({ cause, node }: EventOf<'data-lost'>, written: string | null, asked: string | null): boolean {
  if (cause === 'split-brain') return written === node && asked !== null && asked !== node
  if (cause === 'failover') return asked === node
  return written === asked && (asked === null || asked === node)
}

/** Null where there is one server alone. */
function nodeOf({ seq }: ExecutedCommand, { history }: Evidence): string | null {
  const event = history.events[seq - 1]
  return event?.type === 'command' ? (event.node ?? null) : null
}

/** By all that had ever given it a time to live. Nobody can tell where a clock was touched. */
function livesUntil(question: ExecutedCommand, about: readonly ExecutedCommand[], evidence: Evidence): boolean {
  const isSteady = !evidence.reading.of('fault-struck').some(({ fault }) => fault.startsWith('clock-'))
  return about.every((one) => {
    const lifeMs = lifeGivenBy(one)
    return lifeMs === null || (isSteady && atUsOf(evidence, one) + lifeMs * 1000 > atUsOf(evidence, question))
  })
}

const sent = ({ seq, args }: ExecutedCommand) => ({ seq, words: args })

/** It is for the key, no matter who wrote it. */
const isNamed = ({ member }: Told, { reading, attempts }: Evidence): boolean =>
  keysNamedIn(member, reading.of('published')).has(attempts!.key)
