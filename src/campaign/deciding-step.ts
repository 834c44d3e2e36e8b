/**
 * The deciding step of a violation: what Redis had last answered to the attempt that broke the invariant, before it called
 * the sink or answered. One kind of violation on one path has as many bugs as it has deciding steps: a lock that was
 * granted too early, and a record that was read in the moment in which it was gone.
 */
import { standsAlone } from '../check/stands-alone.ts'
import type { History } from '../contract/history.ts'
import { type DeliveryRecord, endOfDelivery, type HistoryIndex, indexHistory } from '../contract/history-index.ts'
import type { Violation } from '../contract/verdict.ts'
import { ErrorReply, NullArrayReply, type Reply, StatusReply } from '../sim/lua/reply.ts'
import type { ExecutedCommand } from '../sim/world.ts'
import type { RunResult } from './campaign-deps.ts'

/** An attempt, and the event by which it broke the invariant. */
interface Attempt {
  readonly delivery: DeliveryRecord
  readonly actedSeq: number
}

/**
 * `SET: OK, done meanwhile`: another attempt has answered done since this one began, and what it left was written over. What
 * a refused claim and a look came to together: `SET: nothing, then GET: nothing`. Null where the attempt had sent no command,
 * or none is to blame.
 */
export function decidingStep(
  { history, executed }: Pick<RunResult, 'history' | 'executed'>,
  violation: Violation,
): string | null {
  const reading = indexHistory(history)
  const attempt = attemptOf(history, violation, reading)
  if (attempt === null) return null
  const { delivery, actedSeq } = attempt
  const { seq: beganSeq, process, key } = delivery.delivered
  const others = new Set(reading.of('published').flatMap((one) => (one.key === key ? [] : [one.key, one.messageId])))
  const steps = executed.filter(
    (one) => one.process === process && one.seq > beganSeq && one.seq <= actedSeq && !namesOne(one.args, others),
  )
  const step = steps.findLast((one) => !(isRefusedClaim(one) && isShared(one, delivery, reading))) ?? steps.at(-1)
  if (step === undefined) return null
  const wasDone = reading.deliveriesOf(key).some(({ answered }) => {
    return answered?.outcome.status === 'done' && answered.seq > beganSeq && answered.seq < step.seq
  })
  const isLook = replyClass(step.reply) === 'nothing' && !claims.test(step.label)
  // By their order: in a run without traces, commands between two facts have one number.
  const refused = isLook ? steps.slice(0, steps.indexOf(step)).findLast(isRefusedClaim) : undefined
  const before = refused === undefined ? '' : `${stepText(refused)}, then `
  return `${before}${stepText(step)}${wasDone && writesOver(step) ? ', done meanwhile' : ''}`
}

const stepText = ({ label, reply }: ExecutedCommand): string => `${label}: ${replyClass(reply)}`

const claims = /^(SET|H?SETNX)$/

/** SET with GET answers what was there, nil where it was granted. */
const isRefusedClaim = ({ label, args, reply }: ExecutedCommand): boolean =>
  claims.test(label) &&
  !args.some((word) => /^get$/i.test(word)) &&
  (reply === null || (label !== 'SET' && reply === 0))

/** It writes whatever is there. */
const writesOver = ({ label, args, reply }: ExecutedCommand): boolean =>
  /^(SET|GETSET|P?SETEX|HM?SET)$/.test(label) &&
  !args.some((word) => /^nx$/i.test(word)) &&
  !(reply instanceof ErrorReply)

/** The process had another delivery of the key then, whose step it may have been. */
const isShared = ({ seq }: ExecutedCommand, mine: DeliveryRecord, reading: HistoryIndex): boolean =>
  reading.deliveriesOf(mine.delivered.key).some((other) => {
    if (other === mine || other.delivered.process !== mine.delivered.process) return false
    return other.delivered.seq < seq && (endOfDelivery(other)?.seq ?? Number.POSITIVE_INFINITY) >= seq
  })

function attemptOf({ events }: History, violation: Violation, reading: HistoryIndex): Attempt | null {
  const shown = violation.events.map((seq) => events[seq]!)
  const effects = shown.flatMap((event) => {
    const request = event.type === 'effect-applied' ? reading.requests.get(event.requestId) : undefined
    return request?.delivery === undefined ? [] : [{ delivery: request.delivery, actedSeq: request.sent.seq }]
  })
  // Of two effects, the request that was sent later is the one too many.
  if (effects.length > 1) return effects.sort((a, b) => a.actedSeq - b.actedSeq).at(-1)!
  for (const event of shown.toReversed()) {
    if (event.type === 'effect-applied') return effects[0] ?? null
    const delivery =
      event.type === 'answered' || event.type === 'threw'
        ? reading.deliveries.get(event.deliveryId)
        : event.type === 'settled'
          ? lastDelivery(event.messageId, event.seq, reading)
          : undefined
    if (delivery !== undefined)
      return { delivery, actedSeq: Math.min(event.seq, endOfDelivery(delivery)?.seq ?? event.seq) }
  }
  return null
}

const lastDelivery = (messageId: string, seq: number, { deliveries }: HistoryIndex): DeliveryRecord | undefined =>
  [...deliveries.values()].findLast(({ delivered }) => delivered.messageId === messageId && delivered.seq < seq)

/** A process may handle several keys at once: commands that name another one are not this attempt's. */
const namesOne = (args: readonly string[], names: ReadonlySet<string>): boolean =>
  [...names].some((name) => args.some((word) => standsAlone(name, word)))

/** What tells replies apart that lead to different answers: words of a state are kept, values and names are not. */
export function replyClass(reply: Reply): string {
  if (reply === null || reply instanceof NullArrayReply) return 'nothing'
  if (reply instanceof ErrorReply) return `error ${reply.message.split(' ', 1)[0]}`
  if (reply instanceof StatusReply) return reply.status
  if (typeof reply === 'number') return reply >= -2 && reply <= 1 ? String(reply) : 'a number'
  if (typeof reply === 'string') return stateIn(reply) ?? 'a value'
  if (!Array.isArray(reply)) return 'a value'
  if (reply.length === 0) return 'an empty list'
  const first: Reply = reply[0]
  return typeof first === 'string' || first === null ? replyClass(first) : 'a list'
}

const word = /^[A-Za-z][A-Za-z_-]{0,19}$/

/** A text that is a word, begins with one and a colon, or is JSON with one as its state or status. */
function stateIn(text: string): string | null {
  const [, begin] = /^([^:]+):/.exec(text) ?? []
  const [, member] = /"(?:state|status)"\s*:\s*"([^"]*)"/.exec(text) ?? []
  return [member, begin, text].find((one) => one !== undefined && word.test(one)) ?? null
}
