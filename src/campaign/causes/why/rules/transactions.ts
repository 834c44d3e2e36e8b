/** Rules about attempts in PostgreSQL transactions, and about session locks. */
import { ErrorReply } from 'redis-sim/resp'
import { isOpenAt, type RequestRecord } from '../../../../contract/api/history-index.ts'
import { keysInWords } from '../../../../contract/results/whose-command.ts'
import { effectsTable } from '../../../../run/sink/effects-table.ts'
import { textOf } from '../../../../sim/world/text-of.ts'
import type { ExecutedCommand, StoreSession } from '../../../../sim/world.ts'
import { replyClass } from '../../deciding-step.ts'
import { isControl, requestOf, type Transaction, transactionFor, transactionsOf } from '../../statements.ts'
import type { Evidence, Rule } from '../evidence.ts'

/** Two effects of one key, with any payloads. */
interface Pair {
  readonly first: RequestRecord
  readonly again: RequestRecord
}

function pairOf({ violation, history, reading }: Evidence): Pair | null {
  if (violation.kind.startsWith('repeat-after-loss:')) return null
  const requests = violation.events.flatMap((seq) => {
    const event = history.events[seq]!
    return event.type === 'effect-applied' ? (reading.requests.get(event.requestId) ?? []) : []
  })
  const [first, again] = requests.sort((a, b) => a.sent.seq - b.sent.seq)
  return first === undefined || again === undefined ? null : { first, again }
}

const isTrue = ({ reply }: ExecutedCommand): boolean => Array.isArray(reply) && String(reply[0]) === 't'

interface Grant {
  readonly by: ExecutedCommand
  readonly session: StoreSession
  readonly lock: string
  /** True if the session already held the lock when it was granted. */
  readonly isAgain: boolean
  /** `seq` of the end of the session, if it held the lock until then; null otherwise. */
  endedSeq: number | null
}

/** The session-level locks that were granted, in order. */
function grantsOf(executed: readonly ExecutedCommand[]): Grant[] {
  const grants: Grant[] = []
  const held: Grant[] = []
  for (const one of executed) {
    const { session, reply } = one
    const call = session === undefined ? null : callOf(one)
    if (session === undefined || call === null || reply instanceof ErrorReply) continue
    const own = held.findLastIndex((grant) => grant.session === session && grant.lock === call.lock)
    if (call.name === 'unlock') {
      if (isTrue(one) && own !== -1) held.splice(own, 1)
    } else if (call.name === 'lock' || isTrue(one)) {
      const grant = { by: one, session, lock: call.lock, isAgain: own !== -1, endedSeq: null }
      grants.push(grant)
      held.push(grant)
    }
  }
  for (const grant of held) grant.endedSeq = grant.session.endedSeq
  return grants
}

/**
 * The call of an advisory lock function. A lock is identified by the SQL text of the call's
 * arguments, together with the parameter values of the statement.
 */
function callOf({ args: [text = '', ...values] }: ExecutedCommand) {
  const call = /\bpg_(try_)?advisory_(un)?lock\s*\(/i.exec(text)
  if (call === null) return null
  const name = call[2] === undefined ? (call[1] === undefined ? 'lock' : 'try') : 'unlock'
  let depth = 1
  let at = call.index + call[0].length
  const from = at
  for (; at < text.length && depth > 0; at++) depth += text[at] === '(' ? 1 : text[at] === ')' ? -1 : 0
  return { name, lock: [text.slice(from, at - 1), ...values].join(' ') }
}

const namesKey = ({ args }: ExecutedCommand, { reading, violation }: Evidence): boolean =>
  keysInWords(args.map(textOf), reading).has(violation.key ?? '')

/** The session already held the lock when it was granted again. */
const lockedAgain: Rule = (evidence) => {
  const pair = pairOf(evidence)
  if (pair === null) return null
  const { first, again } = pair
  if (first.sent.process !== again.sent.process) return null
  const since = first.delivery?.delivered.seq ?? first.sent.seq
  const grant = grantsOf(evidence.executed).find(
    ({ by, isAgain }) =>
      isAgain &&
      by.process === again.sent.process &&
      by.seq > since &&
      by.seq <= again.sent.seq &&
      namesKey(by, evidence),
  )
  return grant === undefined
    ? null
    : `two attempts got one session from their pool: it held the advisory lock, and ${grant.by.label} granted it once more`
}

/** The session that held the lock ended before its attempt did. */
const lockEnded: Rule = (evidence) => {
  const pair = pairOf(evidence)
  if (pair === null) return null
  const { first, again } = pair
  const grants = grantsOf(evidence.executed).filter(({ by }) => namesKey(by, evidence))
  const next = grants.findLast(({ by }) => by.process === again.sent.process && by.seq <= again.sent.seq)
  const lost = grants.findLast(
    ({ by, lock, endedSeq }) =>
      by.process === first.sent.process && by.seq <= first.sent.seq && endedSeq !== null && lock === next?.lock,
  )
  if (next === undefined || lost === undefined || lost === next) return null
  if (lost.endedSeq! >= next.by.seq || lost.endedSeq! >= (first.applied?.seq ?? 0)) return null
  return `the session that held the advisory lock ended while the first attempt was at work, and the lock with it; ${next.by.label} granted it to the next attempt`
}

const tableOf = ({ label }: ExecutedCommand): string => label.slice(label.indexOf(' ') + 1)
const isWrite = ({ label, reply }: ExecutedCommand): boolean =>
  /^(INSERT|UPDATE|MERGE)\b/.test(label) && !(reply instanceof ErrorReply)
const isSelect = ({ label }: ExecutedCommand): boolean => label.startsWith('SELECT ')

/** The commit after which other sessions can see the writes; null if they were not committed. */
function committedSeq({ statements }: Transaction): number | null {
  const last = statements.at(-1)
  return last === undefined || replyClass(last.reply) === 'ROLLBACK' || last.reply instanceof ErrorReply
    ? null
    : last.seq
}

/** The next attempt looked for a row that the first one had written but not yet committed. */
const readBeforeCommit: Rule = (evidence) => {
  const pair = pairOf(evidence)
  const { decided, executed } = evidence
  if (pair === null || decided?.command == null) return null
  const own = transactionFor(transactionsOf(executed), pair.first.sent.requestId)
  const committed = own === undefined ? null : committedSeq(own)
  if (own === undefined || committed === null) return null
  const written = new Set(own.statements.filter(isWrite).map(tableOf))
  const steps = decided.steps.filter((one) => one.session !== undefined && !isControl(one))
  const looks = steps.filter((one) => isSelect(one) && written.has(tableOf(one)))
  const look = looks.at(-1)
  // If all queries found nothing, it does not matter which of them belongs to the attempt.
  const asked = decided.shared ? looks.filter(({ label }) => label === look!.label) : looks.slice(-1)
  if (look === undefined || asked.some(({ reply, seq }) => reply !== null || seq >= committed)) return null
  const early = `${look.label} of the next attempt found no row, as the first one had not committed yet`
  const over = steps.findLast(
    (one) => one.seq > committed && isWrite(one) && tableOf(one) === tableOf(look) && changesRows(one),
  )
  if (over === undefined || decided.shared) return `${early}, and the next one performed without waiting for it`
  const how = over.label.startsWith('INSERT') ? ' ON CONFLICT DO UPDATE' : ''
  return `${early}; its ${over.label}${how} then wrote over the row of the first one`
}

/** True if the statement changed an existing row. */
const changesRows = ({ label, args, reply }: ExecutedCommand): boolean =>
  !/ 0$/.test(replyClass(reply)) && (label.startsWith('UPDATE') || /\bon conflict\b.*\bdo update\b/i.test(args[0]!))

/** An INSERT took the key, its row was deleted, and another INSERT took the key again. */
const deletedRow: Rule = (evidence) => {
  const pair = pairOf(evidence)
  const { decided, executed, reading } = evidence
  if (pair === null || decided === null || reading.of('data-lost').length > 0) return null
  const isTaken = (one: ExecutedCommand) =>
    one.label.startsWith('INSERT ') &&
    replyClass(one.reply) === 'INSERT 0 1' &&
    !/\bon conflict\b.*\bdo update\b/i.test(one.args[0]!) &&
    namesKey(one, evidence)
  const again = decided.steps.findLast((one) => isTaken(one) && tableOf(one) !== effectsTable)
  if (again === undefined || decided.shared) return null
  const table = tableOf(again)
  const before = executed.slice(0, executed.indexOf(again))
  const first = before.findLast((one) => isTaken(one) && tableOf(one) === table)
  if (first === undefined || first.process !== pair.first.sent.process) return null
  const isDeletion = (one: ExecutedCommand) =>
    one.label === `DELETE ${table}` && !/ 0$/.test(replyClass(one.reply)) && !namesOthers(one, evidence)
  return before.slice(before.indexOf(first)).some(isDeletion)
    ? `DELETE ${table} removed the row of the first attempt, and ${again.label} of the next one found the key free`
    : null
}

const namesOthers = ({ args }: ExecutedCommand, { reading, violation }: Evidence): boolean => {
  const named = keysInWords(args.map(textOf), reading)
  return named.size > 0 && !named.has(violation.key ?? '')
}

/** The transaction of the effect was rolled back or never committed. */
const undone: Rule = ({ violation, decided, executed, history, reading }) => {
  if (!/^(done-without-effect|different-result|retry-goes-on|given-up)$/.test(violation.kind)) return null
  const answered = violation.events.map((seq) => history.events[seq]!).find(({ type }) => type === 'answered')
  const delivery = answered?.type === 'answered' ? reading.deliveries.get(answered.deliveryId) : decided?.delivery
  const request = delivery === undefined ? undefined : requestOf(delivery, reading)
  if (request === undefined || request.applied !== undefined) return null
  const own = transactionFor(transactionsOf(executed), request.sent.requestId)
  const how = own === undefined ? null : endText(own)
  if (how === null) return null
  const then = delivery!.answered?.outcome.status === 'done' ? ', and the attempt answered done anyway' : ''
  return `the transaction of the effect did not commit: ${how}${then}`
}

function endText({ statements }: Transaction): string | null {
  const failed = statements.find(({ reply }) => reply instanceof ErrorReply)
  const last = statements.at(-1)!
  const isUndone = last.label === 'COMMIT' && replyClass(last.reply) === 'ROLLBACK'
  if (failed !== undefined) {
    const { message } = failed.reply as ErrorReply
    return `${failed.label} failed (${textOf(message)})${isUndone ? ', and COMMIT was answered ROLLBACK' : ''}`
  }
  if (last.label === 'ROLLBACK') return 'the layer rolled it back'
  return isUndone || last.label === 'COMMIT' || statements[0]!.label !== 'BEGIN' ? null : 'the layer did not commit it'
}

/**
 * The process sent the statements of two deliveries on one session: the statements of both are in
 * one open transaction, and the first COMMIT or ROLLBACK ends it for both.
 */
const beganInside: Rule = (evidence) => {
  const { executed, reading } = evidence
  for (const { statements } of new Set(transactionsOf(executed).values())) {
    const [first, second] = statements.filter(({ label }) => label === 'BEGIN')
    if (first === undefined || second === undefined || !mayBeOfTwo(first, second, reading)) continue
    const last = statements.at(-1)!
    const end = /^(COMMIT|ROLLBACK)$/.test(last.label) ? `one ${last.label}` : 'the session'
    if (statements.some((one) => isWrite(one) && !/ 0$/.test(replyClass(one.reply)) && namesKey(one, evidence)))
      return `two attempts shared one session: BEGIN of the one came inside the open transaction of the other, and ${end} ended both`
  }
  return null
}

function mayBeOfTwo(first: ExecutedCommand, second: ExecutedCommand, reading: Evidence['reading']): boolean {
  if (first.sentFor !== undefined && first.sentFor === second.sentFor) return false
  const open = [...reading.deliveries.values()].filter(
    (one) => one.delivered.process === second.process && isOpenAt(one, second),
  )
  return open.length > 1
}

/**
 * The rules about transactions. Each rule explains a violation completely, whatever the violation's
 * kind.
 */
export const ofTransactions: readonly Rule[] = [
  beganInside,
  undone,
  lockedAgain,
  lockEnded,
  readBeforeCommit,
  deletedRow,
]
