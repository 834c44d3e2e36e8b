/** Rules about answers that were false, or that differ from the first answer. */
import { endOfDelivery, isOpenAt } from '../../../../contract/api/history-index.ts'
import type { ExecutedCommand } from '../../../../sim/world.ts'
import { isClaim, isLook, isScript, nameOf, ttlText } from '../commands.ts'
import type { Evidence, Rule } from '../evidence.ts'
import { fateOf } from '../fate.ts'
import { answerText, endText, holderOf, ownCommands, wasFree } from '../parts.ts'

/**
 * The store had confirmed the commit of the effect, or other sessions had seen it, and then the
 * commit was lost.
 */
export const commitLost: Rule = ({ violation, history, reading }) => {
  const key = violation.key ?? ''
  const isOther = violation.kind === 'different-result'
  if (!isOther && violation.kind !== 'done-then-lost') return null
  const standingSeq = reading.standingOf(key)[0]?.seq ?? 0
  const lost = isOther
    ? reading.of('data-lost').find(({ seq, effects }) => seq < standingSeq && effects?.includes(key))
    : violation.events.map((seq) => history.events[seq]!).find((event) => event.type === 'data-lost')
  if (lost === undefined) return null
  const wasAnswered = reading
    .of('effect-answered')
    .some(({ seq, requestId }) => seq < lost.seq && reading.requests.get(requestId)?.sent.key === key)
  const state = wasAnswered ? 'which had been answered' : 'which others saw before it was answered'
  const how =
    lost.cause === 'failover'
      ? `the standby that took over lacked the commit of the effect, ${state}`
      : `the server died before the commit of the effect, ${state}, was on its disk`
  return isOther ? `${how}; a later attempt performed it again, with another result` : how
}

/** An attempt cancelled an effect that another attempt, or a later answer, relied on. */
export const tookBack: Rule = ({ violation, history, reading }) => {
  if (violation.kind !== 'done-then-cancelled') return null
  const cancelled = violation.events.map((seq) => history.events[seq]!).find(({ type }) => type === 'effect-cancelled')
  if (cancelled?.type !== 'effect-cancelled') return null
  const [last] = reading
    .ofKey('effect-applied', violation.key ?? '')
    .filter(({ receipt }) => cancelled.effects.includes(receipt.effectId))
  return last?.process === cancelled.process
    ? 'the attempt that had sent the last effect of the key cancelled it, and none was sent after that'
    : "an attempt cancelled another's effect, which was the last of the key, and none was sent after that"
}

/**
 * The layer answered done because the key was taken, but the holder of the key never performed the
 * effect.
 */
export const doneForAnother: Rule = (evidence) => {
  const { decided, violation } = evidence
  if (violation.kind !== 'done-without-effect' || decided?.command == null) return null
  const { command, delivery } = decided
  const fate = fateOf(evidence, command)
  if (fate.how === 'expired' && command.reply === 0 && /^(DEL|UNLINK)$/.test(command.label))
    return `the claim of the attempt had expired${ttlText(fate.lived)} when it released the claim (${answerText(command)}), and it answered done without an effect`
  if (fate.how === 'deleted' && fate.by.label === command.label && lostReply(evidence, fate.by, command.seq))
    return `the reply to ${nameOf(command)} was lost, its command was sent again (${answerText(command)}), and the attempt answered done without an effect`
  if (fate.how !== 'written') return null
  const own = ownCommands(evidence, delivery, command)
  if (own.includes(fate.by)) return ownClaim(evidence, fate.by)
  const holder = holderOf(evidence, fate.by)
  if (holder === undefined) return null
  const end = endOfDelivery(holder)
  const how = end === undefined || end.seq >= command.seq ? 'had not sent one yet' : `${endText(holder)} without one`
  return `a claim was mistaken for an effect: the attempt that had written it ${how}, and the next one answered done (${answerText(command)})`
}

/**
 * A clause if the attempt found its own claim because the reply to the claim was lost; null
 * otherwise.
 */
export function ownClaim(evidence: Evidence, claim: ExecutedCommand): string | null {
  const command = evidence.decided!.command!
  return command.label === claim.label && lostReply(evidence, claim, command.seq)
    ? `the reply to ${nameOf(claim)} was lost, its command was sent again, and the layer mistook its own claim for another attempt's`
    : null
}

function lostReply({ reading }: Evidence, { process, label, seq }: ExecutedCommand, untilSeq: number): boolean {
  return reading
    .of('reply-lost')
    .some((lost) => lost.process === process && lost.command === label && lost.seq >= seq && lost.seq < untilSeq)
}

/** The reply to a question as text; empty for a command that only writes. */
const askedText = (command: ExecutedCommand): string =>
  isLook(command) || isScript(command) || (isClaim(command) && !wasFree(command)) ? ` (${answerText(command)})` : ''

/** A duplicate received another result than the first message. */
export const otherResult: Rule = (evidence) => {
  const { decided, violation, reading } = evidence
  if (violation.kind !== 'different-result' || decided === null) return null
  const { delivery, command } = decided
  const { answered, delivered } = delivery
  if (answered?.outcome.status !== 'done') return null
  const others = reading.deliveriesOf(delivered.key).filter((one) => one !== delivery)
  const atWork = others.some((one) => isOpenAt(one, answered))
  const effect = reading.standingOf(delivered.key)[0]
  const reported = answered.outcome.result === null ? 'nothing' : 'something else'
  const because = command === null || decided.shared ? '' : askedText(command)
  if (effect !== undefined && effect.seq > answered.seq)
    return `a duplicate was answered done with ${reported} before the effect had happened${because}`
  if (atWork) return `a duplicate was answered done with ${reported} while another attempt was still at work${because}`
  return `a duplicate was answered done with ${reported} instead of the first result${because}`
}

/**
 * Another payload was treated like the first one. The sentence is not a reason, because it only
 * repeats the deciding step and the kind of violation. The sentence is the same for a layer that
 * does not compare payloads and for a layer that lost the first payload.
 */
export const otherPayload: Rule = ({ decided, violation }) => {
  const asked = decided?.command == null || decided.shared ? '' : askedText(decided.command)
  if (violation.kind === 'answered-as-if-the-same')
    return `the key alone decided: a message with another payload got the answer of the first one${asked}`
  if (violation.kind !== 'executed-with-another-payload' || decided?.command == null || decided.shared) return null
  return wasFree(decided.command)
    ? `the key was free again, and a message with another payload was executed under it${asked}`
    : `a message with another payload was executed under the key${asked}`
}
