/** Rules about records that an attempt left in Redis and that affected later attempts. */
import { ErrorReply } from 'redis-sim/resp'
import { planned } from '../../../../check/planned.ts'
import { type DeliveryRecord, endOfDelivery } from '../../../../contract/api/history-index.ts'
import { messagesNamedIn } from '../../../../contract/results/keys-named-in.ts'
import { durationText } from '../../../../contract/results/time-text.ts'
import { textOf } from '../../../../sim/world/text-of.ts'
import type { ExecutedCommand } from '../../../../sim/world.ts'
import { replyClass } from '../../deciding-step.ts'
import { changeOf, keysNamedBy, lifetimeOf, nameOf, setsTtl } from '../commands.ts'
import type { Evidence, Rule } from '../evidence.ts'
import { atUsOf, fateOf } from '../fate.ts'
import { endText, holderOf, ownCommands } from '../parts.ts'
import { refusedCondition } from '../refused-condition.ts'
import { ownClaim } from './answers.ts'

const postponedKinds = /^(retry-goes-on|given-up)$/

/**
 * A message was postponed, for too long or until the broker gave up, because of a claim whose
 * holder was gone.
 */
export const deadClaim: Rule = (evidence) => {
  const { decided, violation, reading } = evidence
  if (!postponedKinds.test(violation.kind) || decided?.command == null || decided.shared) return null
  const { command, delivery } = decided
  const fate = fateOf(evidence, command)
  if (fate.how !== 'written' || delivery.answered?.outcome.status !== 'retry') return null
  if (ownCommands(evidence, delivery, command).includes(fate.by)) return ownClaim(evidence, fate.by)
  const holder = holderOf(evidence, fate.by)
  const end = holder && endOfDelivery(holder)
  if (end === undefined || end.seq >= command.seq || holder?.answered?.outcome.status === 'done') return null
  const how = endText(holder!)
  const requests = reading.requestsOf(violation.key ?? '').filter(({ delivery: sender }) => sender === holder)
  if (requests.some(({ applied, answered }) => applied && answered && answered.seq < fate.by.seq))
    return `an attempt ${how} after its effect, and what it had recorded (${nameOf(fate.by)}) turned later ones away`
  return `an attempt ${how} and left its claim behind${ttlNote(evidence, fate.lived, command)}: it turned later ones away`
}

/**
 * For a claim that existed when the command was executed: its time to live as text, and how long
 * the claim had existed if that was longer.
 */
function ttlNote(evidence: Evidence, claim: ExecutedCommand | null, command: ExecutedCommand): string {
  const ms = claim === null ? null : lifetimeOf(claim)
  if (ms === null) return ''
  const meant = `, with a TTL of ${durationText(ms)}`
  const stoodMs = (atUsOf(evidence, command) - atUsOf(evidence, claim!)) / 1000
  if (stoodMs < ms + leewayMs) return meant
  const stood = `${meant} and was there after ${durationText(Math.floor(stoodMs / 1000) * 1000)}`
  const isPutBack = wasPutBack(evidence, stoodMs - ms, claim!, command)
  return isPutBack ? `${stood}, since the clock of Redis had been put back` : stood
}

/** The tolerance for rounding, in milliseconds. */
const leewayMs = 1000

/**
 * True if, between the two commands, the clock of the only Redis server jumped backwards by at
 * least `leastMs`, or was corrected after such a jump forwards.
 */
function wasPutBack(
  { reading, history }: Evidence,
  leastMs: number,
  claim: ExecutedCommand,
  command: ExecutedCommand,
): boolean {
  const between = ({ seq }: { readonly seq: number }) => seq > claim.seq && seq < command.seq
  return reading.of('fault-struck').some((struck) => {
    const { machine, byMs } = planned(struck, history.header)
    if (struck.fault !== 'clock-step' || machine !== -1 || typeof byMs !== 'number') return false
    if (Math.abs(byMs) + leewayMs < leastMs) return false
    const isRightAgain = reading.of('fault-healed').some((healed) => healed.index === struck.index && between(healed))
    // The correction of a jump forwards extended the claim only if the claim was written during the
    // jump.
    return byMs < 0 ? between(struck) && !isRightAgain : struck.seq < claim.seq && isRightAgain
  })
}

/**
 * A message was postponed because its last attempts all threw the same error before any of their
 * commands was executed: their connection to the store is unusable.
 */
export const threwAtOnce: Rule = ({ executed, reading, violation }) => {
  if (!postponedKinds.test(violation.kind) || violation.key === null) return null
  const attempts = reading.deliveriesOf(violation.key)
  const errorOf = ({ delivered, threw }: DeliveryRecord): string | null => {
    const isOwn = (seq: number) => threw !== undefined && seq > delivered.seq && seq <= threw.seq
    const asked = executed.some(({ process, seq }) => process === delivered.process && isOwn(seq))
    return threw === undefined || asked ? null : threw.error.split('\n', 1)[0]!.replace(/\.$/, '')
  }
  const error = attempts.length === 0 ? null : errorOf(attempts.at(-1)!)
  const others = attempts.findLastIndex((attempt) => errorOf(attempt) !== error)
  if (error === null || attempts.length - 1 - others < leastAlike) return null
  return `its last attempts threw the same error before a command of theirs was executed: ${error}`
}

const leastAlike = 3

/** The last attempt used a half-open connection that its client kept for a long time. */
export const keptHalfOpen: Rule = (evidence) => {
  const { decided, executed, reading, violation } = evidence
  if (!postponedKinds.test(violation.kind) || violation.key === null) return null
  const kept = decided?.delivery.answered && keptWhileOpen(evidence, decided.delivery)
  if (kept != null) return kept
  const threw = reading.deliveriesOf(violation.key).findLast((one) => one.threw !== undefined)?.threw
  const struck = threw && halfOpenBefore(evidence, threw)
  if (threw === undefined || struck === undefined) return null
  const asked = executed.some(({ process, seq }) => process === threw.process && seq > struck.seq && seq <= threw.seq)
  return asked ? null : keptText(threw.process, threw.atUs - struck.atUs, ` (${threw.error.split('\n', 1)[0]})`)
}

/**
 * The attempt waited for a half-open connection, and continued with a new one. Meanwhile, no
 * command of the process was executed.
 */
function keptWhileOpen(evidence: Evidence, { delivered, answered }: DeliveryRecord): string | null {
  const struck = halfOpenBefore(evidence, answered!)
  if (struck === undefined || struck.seq < delivered.seq) return null
  const next = evidence.executed.find(({ process, seq }) => process === answered!.process && seq > struck.seq)
  if (next === undefined || next.seq > answered!.seq) return null
  return keptText(answered!.process, atUsOf(evidence, next) - struck.atUs)
}

const halfOpenBefore = ({ reading }: Evidence, end: { readonly process: string; readonly seq: number }) =>
  reading
    .of('fault-struck')
    .findLast(({ fault, process, seq }) => fault === 'half-open' && process === end.process && seq < end.seq)

/** Null if the client closed the connections soon. */
function keptText(process: string, us: number, error = ''): string | null {
  const keptMs = Math.floor(us / 1_000_000) * 1000
  if (keptMs < leastKeptMs) return null
  return `the connections of ${process} were half-open, and its client closed them only after ${durationText(keptMs)}${error}`
}

const leastKeptMs = 60_000

/**
 * The sink permanently refused every request, but each later attempt requested the effect again.
 */
export const refusedForGood: Rule = ({ reading, violation }) => {
  const key = violation.key ?? ''
  if (!postponedKinds.test(violation.kind)) return null
  const refusals = reading.ofKey('effect-refused', key).filter(({ reason }) => reason === 'refused')
  const isAll = refusals.length > 1 && refusals.length === reading.requestsOf(key).length
  const isAnswered = reading.deliveriesOf(key).some(({ answered }) => answered?.outcome.status === 'refused')
  return isAll && !isAnswered
    ? `the sink refused the effect for good ${refusals.length} times, and no attempt answered refused`
    : null
}

/** A key that will never be removed. */
export const immortal: Rule = ({ violation, executed, reading, history }) => {
  if (violation.kind !== 'named-after-a-message') return null
  const counted = violation.events.map((seq) => history.events[seq]!).find(({ type }) => type === 'keys-counted')
  if (counted?.type !== 'keys-counted') return null
  const messages = reading.of('published')
  const name = counted.namesWithoutExpiry?.find((one) =>
    messagesNamedIn(one, messages).some(({ key }) => key === violation.key),
  )
  if (name === undefined) return null
  const writer = executed.findLast((one) => keysNamedBy(one).includes(name) && changeOf(one) !== 'none')
  if (writer === undefined || changeOf(writer) === 'deleted') return null
  const since = executed.slice(executed.indexOf(writer) + 1)
  if (since.some((one) => setsTtl(one) && keysNamedBy(one).includes(name))) return null
  const ttlMs = /^(SET|GETSET)$/.test(writer.label) ? ttlBefore(writer, name, executed) : null
  if (ttlMs !== null)
    return `${nameOf(writer)} wrote over a key for the message, removed its TTL of ${durationText(ttlMs)}, and nothing set another or deleted it`
  return changeOf(writer) === 'written'
    ? `${nameOf(writer)} wrote a key for the message without a TTL, and nothing set one or deleted it`
    : `${nameOf(writer)} left a key for the message without a TTL, and nothing set one or deleted it`
}

/** The time to live of the preceding write to the key; null if unknown. */
function ttlBefore(writer: ExecutedCommand, name: string, executed: readonly ExecutedCommand[]): number | null {
  const before = executed
    .slice(0, executed.indexOf(writer))
    .findLast((one) => keysNamedBy(one).includes(name) && (changeOf(one) !== 'none' || setsTtl(one)))
  return before === undefined || changeOf(before) !== 'written' ? null : lifetimeOf(before)
}

/**
 * The last question of the last attempt, and how the attempt ended. This is not a reason, because
 * it repeats the deciding step.
 */
export const lastOfAll: Rule = ({ decided, violation, reading, executed, history }) => {
  const isGivenUp = violation.events.some((seq) => {
    const event = history.events[seq]
    return event?.type === 'settled' && event.as === 'given-up'
  })
  if (!(postponedKinds.test(violation.kind) || isGivenUp) || decided?.command == null) return null
  const { command, delivery } = decided
  if (decided.shared) return null
  const how = delivery.threw
    ? `threw (${delivery.threw.error.split(':', 1)[0]})`
    : `answered ${delivery.answered?.outcome.status ?? 'nothing'}`
  const isApplied = reading.ofKey('effect-applied', violation.key ?? '').some(({ seq }) => seq < decided.actedSeq)
  const though = isApplied ? ', although the effect of the key had been applied' : ''
  const answered =
    command.reply instanceof ErrorReply
      ? `the error ${textOf(command.reply.message).replace(/\.$/, '')}`
      : replyClass(command.reply)
  const compared = refusedCondition(executed, command)
  const since = compared === null ? '' : `; the condition of its write failed, since ${compared}`
  const back = jumpedBack({ history, reading }, decided)
  return `the last attempt ${how}, after ${nameOf(command)} had answered ${answered}${though}${since}${back}`
}

/** A shorter jump makes no message wait for long. */
const leastJumpMs = 60_000

/** The longest jump of Redis's clock backwards between the first attempt and the last command. */
function jumpedBack(
  { history, reading }: Pick<Evidence, 'history' | 'reading'>,
  { command, delivery }: { readonly command: ExecutedCommand | null; readonly delivery: DeliveryRecord },
): string {
  const [first] = reading.deliveriesOf(delivery.delivered.key)
  const isBetween = (seq: number) => seq > first!.delivered.seq && seq < command!.seq
  const jumps = reading.of('fault-struck').flatMap((struck) => {
    const { machine, byMs } = planned(struck, history.header)
    if (struck.fault !== 'clock-step' || machine !== -1 || typeof byMs !== 'number') return []
    const back = byMs < 0 ? [struck] : reading.of('fault-healed').filter(({ index }) => index === struck.index)
    return back.some(({ seq }) => isBetween(seq)) ? [Math.abs(byMs)] : []
  })
  const longestMs = Math.max(0, ...jumps)
  return longestMs < leastJumpMs ? '' : `; the clock of Redis had jumped back by ${durationText(longestMs)} meanwhile`
}

/** In a run without faults, the outcome of a message is more informative than the last step. */
export const notDone: Rule = ({ violation }) => (violation.kind === 'fault-free-not-done' ? violation.sentence : null)
