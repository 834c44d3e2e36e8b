/**
 * The deciding step of a violation: the last reply of Redis to the attempt that broke the
 * invariant, before the attempt called the sink or answered. Violations of one kind on one path are
 * different bugs if their deciding steps differ: for example, a lock that was granted too early,
 * and a record that was read after it had disappeared.
 */

import { ErrorReply, MapReply, NullArrayReply, type Reply, StatusReply } from 'redis-sim/resp'
import type { History } from '../../contract/api/history.ts'
import {
  type DeliveryRecord,
  type EventOf,
  endOfDelivery,
  type HistoryIndex,
  indexHistory,
  isInferred,
  type RequestRecord,
} from '../../contract/api/history-index.ts'
import type { Violation } from '../../contract/api/verdict.ts'
import { keysNamedIn, standsAlone } from '../../contract/results/keys-named-in.ts'
import { mayBeOfAnother } from '../../contract/results/whose-command.ts'
import { lastTakingOf } from '../../sim/world/note-jobs.ts'
import { textOf } from '../../sim/world/text-of.ts'
import type { ExecutedCommand } from '../../sim/world.ts'
import type { RunResult } from '../types.ts'
import { renewalsIn } from './renewals.ts'
import { OwnStatements, requestOf } from './statements.ts'

/** An attempt, and the event by which it broke the invariant. */
interface Attempt {
  readonly delivery: DeliveryRecord
  readonly actedSeq: number
  /**
   * True if the process had other deliveries of the key when it called the sink, so that the
   * deciding step may belong to another delivery.
   */
  readonly isInferred?: boolean
  /** The effect that broke the invariant; absent if an answer broke it. */
  readonly request?: RequestRecord
}

/** The deciding step, with the attempt that sent it. */
export interface DecidingCommand {
  readonly delivery: DeliveryRecord
  /** `seq` of the event that broke the invariant: the call of the sink, or the answer. */
  readonly actedSeq: number
  /** All commands that the attempt had sent before that event, including `command`. */
  readonly steps: readonly ExecutedCommand[]
  /** The deciding step; null if the attempt had sent no command. */
  readonly command: ExecutedCommand | null
  /**
   * True if the process had another delivery when it sent the command or called the sink, so that
   * the step may belong to that delivery.
   */
  readonly shared: boolean
  /** The last refused claim before the deciding step, if that step is a read that found nothing. */
  readonly refused: ExecutedCommand | null
  /**
   * True if another attempt answered done after this attempt began, and the command overwrote the
   * other attempt's record.
   */
  readonly doneMeanwhile: boolean
}

/**
 * The deciding step as text. `SET: OK, done meanwhile`: another attempt answered done after this
 * one began, and the SET overwrote its record. `SET: nothing, then GET: nothing`: a refused claim
 * followed by a read. Null if the attempt had sent no command, or no attempt broke the invariant.
 */
export function decidingStep(run: Pick<RunResult, 'history' | 'executed'>, violation: Violation): string | null {
  const job = forgottenJob(run, violation)
  const taking = job?.taking ?? takingOf(run, violation)
  if (taking !== null) return `${stepText(taking)}${endText(job?.call)}`
  const { command = null, refused, doneMeanwhile } = decidingCommand(run, violation) ?? {}
  if (command === null) return null
  return `${refused ? `${stepText(refused)}, then ` : ''}${stepText(command)}${doneMeanwhile ? ', done meanwhile' : ''}`
}

/** How the worker's call of the sink ended: a call that fails loses the job by another line. */
function endText(call: RequestRecord | null | undefined): string {
  if (call?.answered?.answer === 'error') return ', then the sink failed'
  return call?.cutShort === undefined ? '' : ', then the worker ended'
}

/** The command that took the job of the last effect, or of the forgotten message. */
export function takingOf(run: Pick<RunResult, 'history' | 'executed'>, violation: Violation): ExecutedCommand | null {
  const { history, executed } = run
  const last = lastOf(requestsIn(history, violation, indexHistory(history)))
  const { job } = last?.sent ?? {}
  return job === undefined ? (forgottenJob(run, violation)?.taking ?? null) : (executed[job.nth] ?? null)
}

/** The job of an accepted message that was never completed. */
interface ForgottenJob {
  /** The last command that took the job. */
  readonly taking: ExecutedCommand
  /** The last call of the sink for the key, if it came after `taking`. */
  readonly call: RequestRecord | null
}

export function forgottenJob(
  { history, executed }: Pick<RunResult, 'history' | 'executed'>,
  { kind, key }: Violation,
): ForgottenJob | null {
  if (kind !== 'accepted-and-forgotten' || key === null) return null
  const reading = indexHistory(history)
  const taking = lastTakingOf(key, { executed, reading })
  const call = reading.requestsOf(key).at(-1)
  if (taking !== null && (call === undefined || call.sent.seq < taking.seq)) return { taking, call: null }
  const own = call?.sent.job && executed[call.sent.job.nth]
  return call === undefined || own === undefined ? null : { taking: own, call }
}

function requestsIn({ events }: History, violation: Violation, reading: HistoryIndex): RequestRecord[] {
  return violation.events.flatMap((seq) => {
    const event = events[seq]!
    return event.type === 'effect-applied' ? (reading.requests.get(event.requestId) ?? []) : []
  })
}

/**
 * The request that was sent last. If there are several effects, the last one should not have
 * happened.
 */
const lastOf = (requests: RequestRecord[]): RequestRecord | undefined =>
  requests.sort((a, b) => b.sent.seq - a.sent.seq)[0]

/** The deciding step; null if no attempt broke the invariant. */
export function decidingCommand(
  { history, executed }: Pick<RunResult, 'history' | 'executed'>,
  violation: Violation,
): DecidingCommand | null {
  const reading = indexHistory(history)
  const attempt = attemptOf(history, violation, reading)
  if (attempt === null) return null
  const { actedSeq } = attempt
  const statements = new OwnStatements(
    attempt.delivery,
    attempt.request ?? requestOf(attempt.delivery, reading),
    attempt.request !== undefined,
    executed,
    reading,
  )
  const { delivery } = statements
  const { seq: beganSeq, key } = delivery.delivered
  const sent = commandsOf(delivery, actedSeq, executed, reading).filter((one) => !statements.isForeign(one))
  const { type } = history.events[actedSeq]!
  const steps = type === 'effect-sent' || type === 'unanswered' ? sent : withoutReleases(sent)
  const renewals = renewalsIn(steps, executed)
  const asked = steps.filter((one) => !renewals.has(one))
  const command =
    statements.deciding(asked) ??
    asked.findLast((one) => !((isRefusedClaim(one) || isRecord(one)) && isShared(one, delivery, reading))) ??
    steps.at(-1)
  if (command === undefined)
    return { delivery, actedSeq, steps, command: null, shared: false, refused: null, doneMeanwhile: false }
  const wasDone = reading.deliveriesOf(key).some(({ answered }) => {
    return answered?.outcome.status === 'done' && answered.seq > beganSeq && answered.seq < command.seq
  })
  const isLook = replyClass(command.reply) === 'nothing' && !claims.test(command.label)
  // Compares positions instead of `seq`: in a run without traces, all commands between two facts
  // have the same `seq`.
  const before = steps.slice(0, steps.indexOf(command)).filter((one) => !isShared(one, delivery, reading))
  const last = isLook ? before.findLast(isRefusedClaim) : undefined
  // A client may resend a claim whose reply was lost. If that one is granted, the first decides
  // nothing.
  const isGrantedLater = before
    .slice(last === undefined ? before.length : before.indexOf(last) + 1)
    .some((one) => claims.test(one.label) && one.args[1] === last?.args[1] && isGranted(one))
  const refused = isGrantedLater ? undefined : last
  const shared = !statements.isCertain(command) && (attempt.isInferred === true || isShared(command, delivery, reading))
  const doneMeanwhile = wasDone && writesOver(command) && !shared
  return { delivery, actedSeq, steps, command, shared, refused: refused ?? null, doneMeanwhile }

  /** True for a write after the sink had answered another attempt of the same process. */
  function isRecord(one: ExecutedCommand): boolean {
    const isEarlier = ({ sent, answered }: RequestRecord) =>
      sent.process === one.process &&
      sent !== attempt!.request?.sent &&
      answered !== undefined &&
      answered.seq < one.seq
    return writesOver(one) && reading.requestsOf(key).some(isEarlier)
  }
}

/**
 * The commands of the delivery's process since the delivery, except commands that name only other
 * keys.
 */
export function commandsOf(
  delivery: DeliveryRecord,
  untilSeq: number,
  executed: readonly ExecutedCommand[],
  reading: HistoryIndex,
): ExecutedCommand[] {
  const { seq: beganSeq, process, key } = delivery.delivered
  const messages = namesApart(delivery, untilSeq, reading)
  return executed.filter(
    (one) =>
      one.process === process &&
      one.seq > beganSeq &&
      one.seq <= untilSeq &&
      (one.sentFor === undefined
        ? !isOfOthers(one.args, key, messages)
        : one.sentFor === delivery.delivered.deliveryId),
  )
}

/**
 * An attempt releases its claims before it answers. A release is not a deciding step, unless it
 * found that the claim was gone.
 */
function withoutReleases(steps: readonly ExecutedCommand[]): readonly ExecutedCommand[] {
  const claimed = new Set(steps.flatMap((one) => (claims.test(one.label) && !isRefusedClaim(one) ? [one.args[1]] : [])))
  const last = steps.findLastIndex(
    ({ label, args, reply }) =>
      reply === 0 ||
      (!/^(DEL|UNLINK|[HSZ]DEL|[SZ]REM)$/.test(label) &&
        !(/^(EVAL|FCALL)/.test(label) && args.slice(3).some((word) => claimed.has(word)))),
  )
  return last === -1 ? steps : steps.slice(0, last + 1)
}

export const stepText = (command: ExecutedCommand): string => `${command.label}: ${answerClass(command)}`

/** Like `replyClass`, but depends on the command. */
export function answerClass({ label, reply, session }: ExecutedCommand): string {
  if (session !== undefined) return rowsClass(reply)
  return label === 'HGETALL' ? recordClass(reply) : replyClass(reply)
}

/**
 * The class of rows from PostgreSQL. A single boolean is its own class. If the only row contains
 * exactly one word, the class is that word.
 */
function rowsClass(reply: Reply): string {
  const [row, ...others] = Array.isArray(reply) ? reply : []
  if (!Array.isArray(row)) return replyClass(reply)
  const only: unknown = others.length === 0 && row.length === 1 ? row[0] : null
  if (only === 't' || only === 'f') return only === 't' ? 'true' : 'false'
  const states = row.filter((cell): cell is string => typeof cell === 'string' && word.test(cell))
  return others.length > 0 ? 'rows' : states.length === 1 ? states[0]! : 'a row'
}

const claims = /^(SET|H?SETNX)$/

/** SET with GET returns the old value, or nil if the claim was granted. */
const isRefusedClaim = ({ label, args, reply }: ExecutedCommand): boolean =>
  claims.test(label) &&
  !args.some((word) => /^get$/i.test(word)) &&
  (reply === null || (label !== 'SET' && reply === 0))

const isGranted = ({ reply }: ExecutedCommand): boolean => reply === 1 || reply instanceof StatusReply

/** True for a write that does not depend on the old value. */
const writesOver = ({ label, args, reply }: ExecutedCommand): boolean =>
  /^(SET|GETSET|P?SETEX|HM?SET)$/.test(label) &&
  !args.some((word) => /^nx$/i.test(word)) &&
  !(reply instanceof ErrorReply)

/** True if the command may belong to another delivery of the process. */
export const isShared = (
  { seq, args, sentFor }: ExecutedCommand,
  mine: DeliveryRecord,
  reading: HistoryIndex,
): boolean => sentFor === undefined && mayBeOfAnother({ seq, words: args.map(textOf) }, mine, reading)

function attemptOf({ header, events }: History, violation: Violation, reading: HistoryIndex): Attempt | null {
  const shown = violation.events.map((seq) => events[seq]!)
  const requests = requestsIn({ header, events }, violation, reading)
  const last = lastOf(requests)
  // The request of a worker or a relay belongs to no delivery.
  const effect =
    last?.delivery === undefined || last.sent.job !== undefined
      ? null
      : {
          delivery: last.delivery,
          actedSeq: last.sent.seq,
          isInferred: isInferred(last),
          request: last,
        }
  if (requests.length > 1) return effect
  for (const event of shown.toReversed()) {
    if (event.type === 'effect-applied') return effect
    const delivery =
      event.type === 'answered' || event.type === 'threw' || event.type === 'unanswered'
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

/**
 * The messages whose keys distinguish the attempt's commands from others. A message is excluded if
 * its key contains the attempt's key and the attempt's process never received the message: then
 * `order:1:lock` is the layer's lock for `order:1`.
 */
function namesApart({ delivered }: DeliveryRecord, actedSeq: number, reading: HistoryIndex) {
  const { key, process } = delivered
  const handed = new Set(
    reading.of('delivered').flatMap((one) => (one.process === process && one.seq <= actedSeq ? [one.key] : [])),
  )
  return reading.of('published').filter((one) => handed.has(one.key) || !standsAlone(key, one.key))
}

/**
 * A process may handle several keys at once: commands that name only other keys do not belong to
 * this attempt.
 */
function isOfOthers(args: readonly string[], key: string, messages: readonly EventOf<'published'>[]): boolean {
  const named = args.flatMap((word) => [...keysNamedIn(textOf(word), messages)])
  return named.length > 0 && !named.includes(key)
}

/**
 * Classifies replies so that replies with different consequences differ: words that name a state
 * are kept, values and names are not.
 */
export function replyClass(reply: Reply): string {
  if (reply === null || reply instanceof NullArrayReply) return 'nothing'
  if (reply instanceof ErrorReply) return `error ${reply.message.split(' ', 1)[0]}`
  if (reply instanceof StatusReply) return reply.status
  if (typeof reply === 'number') return reply >= -2 && reply <= 1 ? String(reply) : 'a number'
  if (typeof reply === 'string') return stateIn(reply) ?? 'a value'
  if (reply instanceof MapReply) return recordClass(reply)
  if (!Array.isArray(reply)) return 'a value'
  if (reply.length === 0) return 'an empty list'
  const state = stateOf(reply)
  if (state !== undefined) return replyClass(state)
  const first: Reply = reply[0]
  return typeof first === 'string' || first === null ? replyClass(first) : 'a list'
}

/** A word that names a state in a reply. */
export const word = /^[A-Za-z][A-Za-z_-]{0,19}$/

/**
 * The state in a text: the text itself if it is a word, its prefix before a colon, or the `state`
 * or `status` member of JSON. Deeper members, and the text after the colon, belong to the stored
 * result, which may have another status.
 */
function stateIn(text: string): string | null {
  const [, begin] = /^([^:]+):/.exec(text) ?? []
  const reported = [text, begin].find((one) => one !== undefined && word.test(one))
  if (reported !== undefined) return reported
  const { state, status } = memberOf(text)
  return [state, status].find((one): one is string => typeof one === 'string' && word.test(one)) ?? null
}

function memberOf(text: string): { readonly state?: unknown; readonly status?: unknown } {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}

/**
 * The class of a hash, given as alternating fields and values. Only the value of its state field
 * counts.
 */
function recordClass(reply: Reply): string {
  const fields = reply instanceof MapReply ? reply.entries : reply
  if (!Array.isArray(fields) || fields.length === 0) return replyClass(fields)
  const state = stateOf(fields)
  return state === undefined ? 'a value' : replyClass(state)
}

function stateOf(fields: readonly Reply[]): Reply | undefined {
  const fieldOf = (name: string) => {
    const place = fields.findIndex((field, at) => at % 2 === 0 && field === name)
    return place === -1 ? undefined : fields[place + 1]
  }
  return fieldOf('state') ?? fieldOf('status')
}
