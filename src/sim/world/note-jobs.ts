/**
 * Finds which requests to the sink a worker or a relay sent for a job that it had taken from a
 * queue, and how the job ended. The command that takes a job does not name the key, but its reply
 * does.
 */
import { findCommand, keysOf } from 'redis-sim'
import { ErrorReply, MapReply, QUEUED, type Reply, StatusReply } from 'redis-sim/resp'
import type { History, Job } from '../../contract/api/history.ts'
import {
  type DeliveryRecord,
  type HistoryIndex,
  indexHistory,
  type RequestRecord,
} from '../../contract/api/history-index.ts'
import { keysNamedIn, standsAlone } from '../../contract/results/keys-named-in.ts'
import { nameOfWith } from '../../run/statement-labels.ts'
import type { ExecutedCommand } from './request.ts'
import { textOf } from './text-of.ts'
import { isWritingScript, writingScripts } from './writing-scripts.ts'

type End = NonNullable<Job['ended']>

/**
 * Commands that remove or claim an entry of a queue. Their arguments do not name the key of a
 * message.
 */
const takes =
  /^(B?[LR]POP|B?RPOPLPUSH|B?LMOVE|B?LMPOP|B?ZMPOP|B?ZPOP(MIN|MAX)|SPOP|GETDEL|XREADGROUP|XAUTOCLAIM|XCLAIM|EVAL.*|FCALL.*)$/
const givesOne = /^(B?[LR]POP|B?RPOPLPUSH|B?LMOVE)$/
const takesRows = /\b(for (no key )?update|returning)\b/i

/** The executed commands of a finished run, in order. */
interface Run {
  readonly reading: HistoryIndex
  readonly executed: readonly ExecutedCommand[]
  readonly timesUs: ReadonlyMap<ExecutedCommand, number>
  readonly writing: ReadonlySet<string>
  /** By label and key: the index of the first command with that label that names the key. */
  readonly firstNaming: Map<string, number>
}

/** Adds the jobs to the facts. `timesUs`: the times of the commands, in order. */
export function noteJobs(history: History, executed: readonly ExecutedCommand[], timesUs: readonly number[]): void {
  const reading = indexHistory(history)
  const requests = [...reading.requests.values()]
  const sure = requests.filter(mayBeForJob)
  if (sure.length === 0) return
  const times = new Map(executed.map((one, at) => [one, timesUs[at]!]))
  const run = { reading, executed, timesUs: times, writing: writingScripts(executed), firstNaming: new Map() }
  for (const request of sure) noteJob(request, takingOf(request.sent, run), run)
  // A worker's process may also handle a delivery of the key. That delivery waits for the worker.
  const takers = new Set(sure.flatMap(({ sent }) => sent.job?.by ?? []))
  for (const request of requests) {
    const taking = sure.includes(request) || takers.size === 0 ? null : takingOf(request.sent, run)
    if (taking === null || !takers.has(taking.label)) continue
    const ended = endOf(request, taking, run)
    if (ended === null || ended.seq > request.sent.seq) noteJob(request, taking, run)
  }
}

function noteJob(request: RequestRecord, taking: ExecutedCommand | null, run: Run): void {
  if (taking === null) return
  const ended = endOf(request, taking, run)
  const job: Job = {
    by: taking.label,
    nth: run.executed.indexOf(taking),
    seq: taking.seq,
    atUs: run.timesUs.get(taking)!,
    redisKeys: taking.session === undefined ? redisKeysOf(taking) : [],
    ...(ended === null ? {} : { ended }),
  }
  Object.assign(request.sent, { job })
}

/**
 * True if the request may have been sent for a job: no delivery of the key was open, or each open
 * delivery has answered `accepted` or was cut short, and at least one has answered.
 */
function mayBeForJob({ delivery, senders }: RequestRecord): boolean {
  const open = senders ?? (delivery === undefined ? [] : [delivery])
  const isAccepted = ({ answered }: DeliveryRecord) => answered?.outcome.status === 'accepted'
  return open.length === 0 || (open.some(isAccepted) && open.every((one) => isAccepted(one) || one.cutShort))
}

/** A worker that calls the sink for `key` at event number `seq`. */
interface Worker {
  readonly process: string
  readonly key: string
  readonly seq: number
}

function takingOf({ process, key, seq }: Worker, { executed, reading }: Pick<Run, 'executed' | 'reading'>) {
  let look: ExecutedCommand | null = null
  for (let at = executed.length - 1; at >= 0; at--) {
    const one = executed[at]!
    if (one.process !== process || one.seq > seq || one.reply === null) continue
    if (look !== null && !isTaking(one)) continue
    if (look !== null && handsOver(one, look)) return one
    if (!names(textsIn(one.reply), key, reading) || names(wordsOf(one), key, reading)) continue
    if (isTaking(one)) return one
    look = one
  }
  return look
}

/**
 * The last command that took the job of the key, whether a call of the sink followed or not. A
 * script counts only if it is known to have taken a job for some request, because other scripts may
 * only list jobs.
 */
export function lastTakingOf(key: string, run: Pick<Run, 'executed' | 'reading'>): ExecutedCommand | null {
  const { executed, reading } = run
  const known = new Set([...reading.requests.values()].map(({ sent }) => sent.job?.by))
  const takings = [...new Set(executed.map(({ process }) => process))].flatMap((process) => {
    const taking = takingOf({ process, key, seq: Number.POSITIVE_INFINITY }, run)
    return taking !== null && isTaking(taking) && (!/^(EVAL|FCALL)/.test(taking.label) || known.has(taking.label))
      ? taking
      : []
  })
  return takings.sort((a, b) => executed.indexOf(a) - executed.indexOf(b)).at(-1) ?? null
}

/** True if the command took out, or claimed, an entry that names the key. */
export const tookJobOf = (key: string, command: ExecutedCommand, reading: HistoryIndex): boolean =>
  isTaking(command) && names(textsIn(command.reply), key, reading) && !names(wordsOf(command), key, reading)

const isTaking = ({ label, session, args }: ExecutedCommand): boolean =>
  session === undefined ? takes.test(label) : takesRows.test(args[0]!)

/** True if the taken entry contains a word of the command `look`, whose reply contains the key. */
const handsOver = ({ reply }: ExecutedCommand, look: ExecutedCommand): boolean =>
  textsIn(reply).some((text) => text.length > 1 && wordsOf(look).some((word) => standsAlone(text, word)))

const names = (texts: readonly string[], key: string, reading: HistoryIndex): boolean =>
  texts.some((text) => standsAlone(key, text) && keysNamedIn(text, reading.of('published')).has(key))

const wordsOf = ({ args }: ExecutedCommand): readonly string[] => args.map(textOf)

function textsIn(reply: Reply): string[] {
  if (typeof reply === 'string') return [textOf(reply)]
  if (reply instanceof MapReply) return reply.entries.flatMap(textsIn)
  return Array.isArray(reply) ? reply.flatMap(textsIn) : []
}

function redisKeysOf({ args }: ExecutedCommand): readonly string[] {
  const command = findCommand(args[0]!.toLowerCase())
  return command === undefined ? [] : keysOf(command, args).map(textOf)
}

/** When the job was finished, or its transaction was undone; null if neither happened. */
function endOf({ sent, answered }: RequestRecord, taking: ExecutedCommand, run: Run): End | null {
  const block = endOfBlock(taking, run)
  if (block !== 'none') return block
  if (answered === undefined) return null
  const { executed, reading } = run
  const handed = wordsOfJob(taking, sent.key, reading)
  const given = new Set(wordsOf(taking))
  const own = executed.filter(({ process, seq }) => process === sent.process && seq > answered.seq)
  const marks = own.find(
    (one) =>
      writes(one, run) &&
      !isPutting(one, taking, sent.key, run) &&
      wordsOf(one).some((word) => names([word], sent.key, reading) || (isHanded(word, handed) && !given.has(word))),
  )
  if (marks === undefined) return null
  const exec = marks.reply === QUEUED ? own.slice(own.indexOf(marks)).find(({ label }) => label === 'EXEC') : marks
  if (exec === undefined || (exec !== marks && !Array.isArray(exec.reply))) return null
  const end = endOfBlock(marks, run)
  return end === 'none' ? ending('finished', exec, run, marks.label) : end
}

/** True if the word is a name from the job's entry, or a list of names that contains one. */
const isHanded = (word: string, handed: ReadonlySet<string>): boolean =>
  handed.has(word) || [...handed].some((one) => one.length >= uuidLength && standsAlone(one, word))
const uuidLength = 36

const ending = (how: End['how'], one: ExecutedCommand, { timesUs }: Run, by = one.label): End => ({
  how,
  by,
  seq: one.seq,
  atUs: timesUs.get(one)!,
})

/** True if the command enqueues the key. A copy of the message enqueues it again. */
function isPutting({ label, session, args }: ExecutedCommand, taking: ExecutedCommand, key: string, run: Run): boolean {
  if (!/^(XADD|[LR]PUSHX?|INSERT|EVAL|FCALL)/.test(label)) return false
  if (session === undefined && taking.args.includes(args[1]!)) return true
  const { executed, firstNaming, reading } = run
  const kind = `${label} ${key}`
  let first = firstNaming.get(kind)
  if (first === undefined) {
    first = executed.findIndex((other) => other.label === label && names(wordsOf(other), key, reading))
    firstNaming.set(kind, first)
  }
  return first !== -1 && first < executed.indexOf(taking)
}

/**
 * The end of the transaction that took the rows, because the transaction locks the rows until its
 * end.
 */
function endOfBlock(one: ExecutedCommand, run: Run): End | null | 'none' {
  const { session } = one
  if (session === undefined) return 'none'
  const own = run.executed.filter((other) => other.session === session)
  const at = own.indexOf(one)
  const control = own.slice(0, at).findLast(({ label }) => /^(BEGIN|COMMIT|ROLLBACK)$/.test(label))
  if (control?.label !== 'BEGIN') return 'none'
  const end = own.slice(at).find(({ label }) => /^(COMMIT|ROLLBACK)$/.test(label))
  if (end === undefined) {
    const { endedSeq, endedUs = 0 } = session
    return endedSeq === null ? null : { how: 'undone', by: null, seq: endedSeq, atUs: endedUs }
  }
  const isCommitted = end.reply instanceof StatusReply && end.reply.status === 'COMMIT'
  return ending(isCommitted ? 'finished' : 'undone', end, run)
}

/** The strings next to the key in the reply: the id of an entry, other columns of the row. */
function wordsOfJob({ label, reply }: ExecutedCommand, key: string, reading: HistoryIndex): ReadonlySet<string> {
  const words = new Set<string>()
  const take = (some: readonly Reply[]) => {
    for (const one of some) if (typeof one === 'string' && one !== '') words.add(textOf(one))
  }
  const visit = (one: Reply, parent: readonly Reply[]): void => {
    if (one instanceof MapReply) return visit(one.entries, parent)
    if (!Array.isArray(one)) return
    const own = one.filter((cell) => typeof cell === 'string' && names([textOf(cell)], key, reading))
    if (own.length > 0) {
      take(givesOne.test(label) ? own : one)
      take(parent)
    }
    for (const cell of one) visit(cell, one)
  }
  visit([reply], [])
  return words
}

function writes(one: ExecutedCommand, { writing }: Run): boolean {
  const { args, label, reply, session } = one
  // Scripts of queues return a negative number if they did nothing.
  if (reply instanceof ErrorReply || (typeof reply === 'number' && reply < 0)) return false
  if (session !== undefined) return /^(INSERT|UPDATE|DELETE|MERGE)\b/.test(label) || nameOfWith(args[0]!) !== null
  if (/^EVAL/.test(label)) return isWritingScript(one, writing)
  return findCommand(args[0]!.toLowerCase())?.flagNames.includes('write') === true || label.startsWith('FCALL')
}
