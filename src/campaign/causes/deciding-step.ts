/**
 * The deciding step of a violation: what Redis had last answered to the attempt that broke the
 * invariant, before it called the sink or answered. One kind of violation on one path has as many
 * bugs as it has deciding steps: a lock that was granted too early, and a record that was read in
 * the moment in which it was gone.
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
   * Its process had other deliveries of the key when it called the sink: it may be the step of one
   * of those that decided.
   */
  readonly isInferred?: boolean
  /** The effect by which it did, if it was that. */
  readonly request?: RequestRecord
}

/** The step, with the attempt that it decided. */
export interface DecidingCommand {
  readonly delivery: DeliveryRecord
  /**
   * `seq` of the event by which the attempt broke the invariant: it called the sink, or answered.
   */
  readonly actedSeq: number
  /** All that the attempt had sent by then, and `command` among it. */
  readonly steps: readonly ExecutedCommand[]
  /** Null where the attempt had sent no command. */
  readonly command: ExecutedCommand | null
  /**
   * The process had another delivery when it sent the command, or called the sink, whose step it
   * may have been.
   */
  readonly shared: boolean
  /** The claim that was refused before a look that found nothing. */
  readonly refused: ExecutedCommand | null
  /**
   * Another attempt had answered done since this one began, and the command wrote over what it
   * left.
   */
  readonly doneMeanwhile: boolean
}

/**
 * `SET: OK, done meanwhile`: another attempt has answered done since this one began, and what it
 * left was written over. What a refused claim and a look came to together: `SET: nothing, then GET:
 * nothing`. Null where the attempt had sent no command, or none is to blame.
 */
export function decidingStep(run: Pick<RunResult, 'history' | 'executed'>, violation: Violation): string | null {
  const taking = takingOf(run, violation)
  if (taking !== null) return stepText(taking)
  const { command = null, refused, doneMeanwhile } = decidingCommand(run, violation) ?? {}
  if (command === null) return null
  return `${refused ? `${stepText(refused)}, then ` : ''}${stepText(command)}${doneMeanwhile ? ', done meanwhile' : ''}`
}

/** What took the job for which the last effect was sent, or of which nothing came. */
export function takingOf(run: Pick<RunResult, 'history' | 'executed'>, violation: Violation): ExecutedCommand | null {
  const { history, executed } = run
  const last = lastOf(requestsIn(history, violation, indexHistory(history)))
  const { job } = last?.sent ?? {}
  return job === undefined ? (forgottenJob(run, violation)?.taking ?? null) : (executed[job.nth] ?? null)
}

/** The job of an accepted message that came to nothing. */
interface ForgottenJob {
  /** What took it last. */
  readonly taking: ExecutedCommand
  /** The call of the sink that followed. */
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

/** Of two effects, the request that was sent later is the one too many. */
const lastOf = (requests: RequestRecord[]): RequestRecord | undefined =>
  requests.sort((a, b) => b.sent.seq - a.sent.seq)[0]

/** Null where no attempt is to blame. */
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
  // By their order: in a run without traces, commands between two facts have one number.
  const refused = isLook
    ? steps.slice(0, steps.indexOf(command)).findLast((one) => isRefusedClaim(one) && !isShared(one, delivery, reading))
    : undefined
  const shared = !statements.isCertain(command) && (attempt.isInferred === true || isShared(command, delivery, reading))
  const doneMeanwhile = wasDone && writesOver(command) && !shared
  return { delivery, actedSeq, steps, command, shared, refused: refused ?? null, doneMeanwhile }

  /** Another attempt had heard from the sink by then. */
  function isRecord(one: ExecutedCommand): boolean {
    const isEarlier = ({ sent, answered }: RequestRecord) =>
      sent.process === one.process &&
      sent !== attempt!.request?.sent &&
      answered !== undefined &&
      answered.seq < one.seq
    return writesOver(one) && reading.requestsOf(key).some(isEarlier)
  }
}

/** What its process executed from the delivery on, but for commands that name other keys only. */
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
 * Before it answers, an attempt gives back its claims. That decides nothing, unless one was gone.
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

/** As `replyClass`, with what its command tells of it. */
export function answerClass({ label, reply, session }: ExecutedCommand): string {
  if (session !== undefined) return rowsClass(reply)
  return label === 'HGETALL' ? recordClass(reply) : replyClass(reply)
}

/** Rows of PostgreSQL. A truth value names a row, and so does its only word. */
function rowsClass(reply: Reply): string {
  const [row, ...others] = Array.isArray(reply) ? reply : []
  if (!Array.isArray(row)) return replyClass(reply)
  const only: unknown = others.length === 0 && row.length === 1 ? row[0] : null
  if (only === 't' || only === 'f') return only === 't' ? 'true' : 'false'
  const states = row.filter((cell): cell is string => typeof cell === 'string' && word.test(cell))
  return others.length > 0 ? 'rows' : states.length === 1 ? states[0]! : 'a row'
}

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

/** The process had another delivery then, whose step it may have been. */
export const isShared = (
  { seq, args, sentFor }: ExecutedCommand,
  mine: DeliveryRecord,
  reading: HistoryIndex,
): boolean => sentFor === undefined && mayBeOfAnother({ seq, words: args.map(textOf) }, mine, reading)

function attemptOf({ header, events }: History, violation: Violation, reading: HistoryIndex): Attempt | null {
  const shown = violation.events.map((seq) => events[seq]!)
  const requests = requestsIn({ header, events }, violation, reading)
  const last = lastOf(requests)
  // A worker or a relay sends for no delivery.
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
 * The messages by which the attempt's commands are told from others. One whose key is made of the
 * attempt's own, and that its process was never handed, is none of them: `order:1:lock` is then
 * what the layer calls the lock of `order:1`.
 */
function namesApart({ delivered }: DeliveryRecord, actedSeq: number, reading: HistoryIndex) {
  const { key, process } = delivered
  const handed = new Set(
    reading.of('delivered').flatMap((one) => (one.process === process && one.seq <= actedSeq ? [one.key] : [])),
  )
  return reading.of('published').filter((one) => handed.has(one.key) || !standsAlone(key, one.key))
}

/**
 * A process may handle several keys at once: commands that name only others are not this attempt's.
 */
function isOfOthers(args: readonly string[], key: string, messages: readonly EventOf<'published'>[]): boolean {
  const named = args.flatMap((word) => [...keysNamedIn(textOf(word), messages)])
  return named.length > 0 && !named.includes(key)
}

/**
 * What tells replies apart that lead to different answers: words of a state are kept, values and
 * names are not.
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

/** A state, as replies name it. */
export const word = /^[A-Za-z][A-Za-z_-]{0,19}$/

/**
 * A text that is a word, begins with one and a colon, or is JSON with one as its own state or
 * status. What stands deeper, or behind the colon, is the result that was kept, which has a status
 * of its own.
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
 * A hash, as its fields and values by turns: names of fields say nothing, nor do values of others
 * than its state.
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
