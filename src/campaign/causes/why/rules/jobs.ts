/**
 * Rules about an effect that a worker or a relay performed twice, each time for a job from a queue.
 * The rules need the command that took the job, and the state of the job at that time.
 */
import { type Attempt, type AttemptPair, isOneAttempt } from '../../../../check/repeat.ts'
import type { Job } from '../../../../contract/api/history.ts'
import { durationText } from '../../../../contract/results/time-text.ts'
import { keysInWords } from '../../../../contract/results/whose-command.ts'
import { tookJobOf } from '../../../../sim/world/note-jobs.ts'
import { textOf } from '../../../../sim/world/text-of.ts'
import { isWritingScript, writingScripts } from '../../../../sim/world/writing-scripts.ts'
import type { ExecutedCommand } from '../../../../sim/world.ts'
import { forgottenJob, replyClass } from '../../deciding-step.ts'
import { isControl } from '../../statements.ts'
import { isScript, nameOf } from '../commands.ts'
import type { Evidence, Rule } from '../evidence.ts'
import { atTheirExec } from '../executed-in-multi.ts'
import { isUnheard } from '../unreachable.ts'
import { stoodStill } from './leases.ts'

interface Pair {
  readonly first: Attempt & { readonly job: Job }
  readonly again: Attempt & { readonly job: Job }
  readonly one: ExecutedCommand
  readonly other: ExecutedCommand
}

export const takingOf = ({ job }: Attempt, executed: Evidence['executed']): ExecutedCommand | undefined =>
  job && executed[job.nth]

function pairOf({ attempts, executed }: Evidence): Pair | null {
  if (attempts === null) return null
  const { first, again } = attempts
  const [one, other] = [takingOf(first, executed), takingOf(again, executed)]
  if (first.job === undefined || again.job === undefined || one === undefined || other === undefined) return null
  return { first: { ...first, job: first.job }, again: { ...again, job: again.job }, one, other }
}

/** Why the job was performed twice. */
export const takenTwice: Rule = (evidence) => {
  const { attempts, violation } = evidence
  const pair = pairOf(evidence)
  if (attempts === null || pair === null || violation.kind.startsWith('repeat-after-loss:')) return null
  if (isOneAttempt(attempts))
    return tookBefore(pair, evidence) ?? `the worker called the sink twice for one job (${nameOf(pair.one)})`
  switch (violation.kind) {
    case 'repeat-after-crash':
      return crashText(pair, evidence)
    case 'repeat-after-error':
      return errorText(pair, attempts)
    default:
      return staleText(pair) ?? againText(pair, evidence) ?? atOnceText(pair, evidence)
  }
}

/** The process took the job twice before it first called the sink for it. */
function tookBefore({ first, one }: Pair, { executed, reading, violation }: Evidence): string | null {
  const key = violation.key ?? ''
  const earlier = executed
    .slice(0, executed.indexOf(one))
    .findLast((other) => other.process === first.process && tookJobOf(key, other, reading))
  const calls = reading.requestsOf(key).filter(({ sent }) => sent.process === first.process)
  if (earlier === undefined || calls.some(({ sent }) => sent.seq >= earlier.seq && sent.seq < one.seq)) return null
  const endedSeq = earlier.session?.endedSeq ?? null
  const ended =
    endedSeq !== null && endedSeq <= one.seq ? ': the session of the first had ended, and its row lock with it' : ''
  return `${first.process} took the job twice (${nameOf(one)}) before it called the sink for it${ended}`
}

/** A worker took the job of an accepted message, but the effect of the message did not happen. */
export const jobForgotten: Rule = (evidence) => {
  const { reading, violation } = evidence
  const job = forgottenJob(evidence, violation)
  const how = job === null ? null : endOfJobText(job, evidence)
  if (job === null || how === null) return null
  const again = reading.requestsOf(violation.key!).length > 0 ? ' again' : ''
  return `${job.taking.process} had taken the job (${nameOf(job.taking)})${how}; no worker called the sink for the key${again}`
}

type ForgottenJob = NonNullable<ReturnType<typeof forgottenJob>>

function endOfJobText({ taking, call }: ForgottenJob, evidence: Evidence): string | null {
  const { answered } = call ?? {}
  if (answered?.answer === 'error') return `, and its call of the sink failed (${answered.error})`
  if (answered !== undefined) return null
  const ended = endOfWorker({ taking, call }, evidence)
  if (ended !== undefined)
    return ` and died${ended.how === 'died' ? ' of an error' : ''} ${call === null ? 'before it called the sink' : 'while its call of the sink was under way'}`
  if (call !== null) return ', and its call of the sink had no answer'
  if (isUnheard(evidence, taking, Number.POSITIVE_INFINITY)) return ', and the reply to that was lost'
  return isSurelyJob(taking) ? ' and did not call the sink for it' : null
}

/** True for a command that certainly takes a job. A list may contain entries that are not jobs. */
const isSurelyJob = ({ session, label }: ExecutedCommand): boolean => session !== undefined || label.startsWith('X')

/**
 * The end of the worker's process, if the worker had the job and had not requested another one. An
 * entry of a list is a job if the worker then named its key in a command.
 */
function endOfWorker({ taking, call }: ForgottenJob, { executed, history, reading, violation }: Evidence) {
  if (call !== null) return call.cutShort?.how === 'closed' ? undefined : call.cutShort
  const { process, label } = taking
  const ended = reading
    .of('process-ended')
    .find((one) => one.how !== 'closed' && one.process === process && one.seq >= taking.seq)
  const executedUs = ({ seq }: ExecutedCommand) => {
    const trace = history.events[seq - 1]
    return trace?.type === 'command' ? trace.atUs : null
  }
  // A command that was executed at the same moment was sent before the reply with the job.
  const isBeside = (one: ExecutedCommand) => executedUs(one) !== null && executedUs(one) === executedUs(taking)
  const later = executed
    .slice(executed.indexOf(taking) + 1)
    .filter((one) => one.process === process && one.seq <= (ended?.seq ?? Number.POSITIVE_INFINITY) && !isBeside(one))
  const namesKey = ({ args }: ExecutedCommand) => keysInWords(args.map(textOf), reading).has(violation.key ?? '')
  const isJob = isSurelyJob(taking) || later.some(namesKey)
  return later.some((one) => one.label === label || !isJob) ? undefined : ended
}

/**
 * The `seq` of the events that the sentence mentions. The trace of a command is the event before
 * the command's `seq`.
 */
export function shownOfForgotten(evidence: Evidence): readonly number[] {
  const job = forgottenJob(evidence, evidence.violation)!
  const { taking, call } = job
  const ended = endOfWorker(job, evidence)
  const struck = evidence.reading
    .of('fault-struck')
    .find(({ atUs, process }) => atUs === ended?.atUs && process === taking.process)
  const events = [call?.sent, call?.answered, struck ?? ended]
  return [taking.seq - 1, ...events.flatMap((event) => (event === undefined ? [] : [event.seq]))]
}

const tookAgain = ({ again, other }: Pair): string => `${again.process} took it again (${nameOf(other)})`

function crashText(pair: Pair, { reading }: Evidence): string {
  const { first, one } = pair
  const gone = reading.of('process-ended').find(({ process }) => process === first.process)
  const died = gone?.how === 'died' ? 'died of an error' : 'died'
  return `${first.process} had taken the job (${nameOf(one)}) and ${died} after it had sent the effect, before it had finished the job; ${tookAgain(pair)}`
}

function errorText(pair: Pair, { first }: AttemptPair): string {
  const { one } = pair
  const { ended } = pair.first.job
  const isReported = first.request?.answered?.answer === 'error'
  if (isReported)
    return `the sink's answer to ${first.process}, which had taken the job (${nameOf(one)}), was an error, though the effect was applied; ${tookAgain(pair)}`
  const how = ended?.by == null ? 'its session ended before COMMIT' : `${ended.by} undid it`
  return `the transaction in which ${first.process} had taken the job (${nameOf(one)}) did not commit after it had sent the effect: ${how}; ${tookAgain(pair)}`
}

/** A clause if the row was no longer locked when one of the two attempts sent the effect. */
function staleText({ first, again, one, other }: Pair): string | null {
  const [stale, taking] = (
    [
      [first, one],
      [again, other],
    ] as const
  ).find(([{ job, sent }]) => {
    return job.ended?.how === 'undone' && job.ended.seq <= sent.seq
  }) ?? [null, null]
  if (stale === null) return null
  const how = stale.job.ended?.by == null ? 'had ended' : `had rolled back (${stale.job.ended.by})`
  return `the session in which ${stale.process} had taken the job (${nameOf(taking)}) ${how} before it sent the effect, and its row lock with it`
}

/** A clause if the first attempt had finished the job before the job was taken again. */
function againText(pair: Pair, evidence: Evidence): string | null {
  const { first, again, one, other } = pair
  const { ended } = first.job
  if (ended?.how !== 'finished' || ended.seq > again.job.seq) return null
  const put = putsOf(pair, evidence).at(-1)
  const twice = inQueueTwice(pair, evidence)
  if (twice !== null) return twice
  if (isScript({ label: ended.by ?? '' })) return betweenText(pair, evidence)
  const by = evidence.executed.find(({ seq, label }) => seq === ended.seq && label === ended.by)
  const finished = `${first.process} had finished the job (${nameOf(one)}, then ${by ? nameOf(by) : ended.by})`
  if (put === undefined || put.seq <= first.job.seq) return `${finished}, and ${tookAgain(pair)}`
  const when = put.seq > ended.seq ? 'after that' : 'before that'
  const did = isScript(put) ? 'named the key' : 'put the key into the queue'
  return `${finished}; ${nameOf(put)} of ${put.process} ${did} once more ${when}, and ${again.process} took it (${nameOf(other)})`
}

/**
 * Names the scripts that wrote between the two commands that took the job, because the effect of
 * these scripts on the job is unknown.
 */
function betweenText({ first, again, one, other }: Pair, { executed }: Evidence): string {
  const writing = writingScripts(executed)
  const own = new Set([nameOf(one), nameOf(other)])
  const isBetween = (command: ExecutedCommand) =>
    command.seq > first.job.seq &&
    command.seq <= again.job.seq &&
    isWritingScript(command, writing) &&
    !own.has(nameOf(command)) &&
    first.job.redisKeys.some((key) => command.args.includes(key))
  // The names are sorted by their last occurrence, because a script may have had no effect at
  // first.
  const names = executed.filter(isBetween).map(nameOf)
  const scripts = names.filter((name, at) => names.lastIndexOf(name) === at).slice(-3)
  const between = scripts.length === 0 ? '' : `; in between, Redis executed ${scripts.join(', then ')}`
  return `${first.process} took the job (${nameOf(one)}) and had the sink's answer, and ${again.process} took it again (${nameOf(other)})${between}`
}

/** A clause if the key was in the queue twice; null if it was not, or if this is unknown. */
function inQueueTwice(pair: Pair, evidence: Evidence): string | null {
  const { first, again, one, other } = pair
  const puts = putsOf(pair, evidence).filter((command) => !isScript(command))
  const [before, last] = puts.slice(-2)
  if (before === undefined || last === undefined || last.seq > first.job.seq) return null
  return `the key was in the queue twice (${nameOf(before)} of ${before.process}, ${nameOf(last)} of ${last.process}): ${first.process} took the one job (${nameOf(one)}), and ${again.process} the other (${nameOf(other)})`
}

/**
 * The commands that put the key into the queue before the job was taken again. A script is included
 * if it names the key, because its action is unknown.
 */
function putsOf(pair: Pair, evidence: Evidence): ExecutedCommand[] {
  const writing = writingScripts(evidence.executed)
  return atTheirExec(evidence.executed).filter(
    (command) =>
      command.seq <= pair.again.job.seq &&
      puts(command, pair, evidence) &&
      (!command.label.startsWith('EVAL') || isWritingScript(command, writing)),
  )
}

const adds = /^(XADD|[LR]PUSHX?|ZADD|SADD|INSERT .*)$/

function puts(command: ExecutedCommand, { one, other }: Pair, { reading, violation }: Evidence): boolean {
  const isNone = command.reply === 0 || / 0$/.test(replyClass(command.reply))
  if (command === one || command === other || isNone || !(adds.test(command.label) || isScript(command))) return false
  if (command.session === undefined && !isScript(command) && !sharesQueue(command, one)) return false
  return keysInWords(command.args.map(textOf), reading).has(violation.key ?? '')
}

const sharesQueue = (command: ExecutedCommand, taking: ExecutedCommand): boolean =>
  taking.args.includes(command.args[1] ?? '')

/** A clause for two attempts that had the job at the same time. */
function atOnceText(pair: Pair, evidence: Evidence): string {
  const { first, again, one, other } = pair
  const isOneProcess = first.process === again.process
  const who = isOneProcess ? 'it' : first.process
  const afterMs = (again.job.atUs - first.job.atUs) / 1000
  const stood = !isOneProcess && stoodStill(evidence, first.process, first.job.seq, again.job.seq)
  const isHeard = (first.request?.answered?.seq ?? Number.POSITIVE_INFINITY) < again.job.seq
  const working = isHeard ? "had the sink's answer and had not finished the job" : 'was still at work'
  const state = stood ? 'stood still' : working
  if (one.session !== undefined) {
    const lock = lockText(one, evidence)
    if (lock !== null)
      return `${lock}; ${again.process} took the same row (${nameOf(other)}) before ${who} had marked it`
  }
  const by = isOneProcess ? 'which had taken it before' : `which had taken it by ${nameOf(one)}`
  if (/^X(AUTO)?CLAIM$/.test(other.label))
    return `${nameOf(other)} of ${again.process} took the job over from ${who}, ${by}, after ${durationText(Math.round(afterMs))}, while ${who} ${state}`
  const twice = inQueueTwice(pair, evidence)
  if (twice !== null) return twice
  const put = putsOf(pair, evidence).findLast((command) => command.seq > first.job.seq && !isScript(command))
  if (put !== undefined)
    return `${nameOf(put)} of ${put.process} put the key into the queue once more while ${who}, ${by}, ${state}; ${tookAgain(pair)}`
  return `${again.process} took the job (${nameOf(other)}) while ${who}, ${by}, ${state}`
}

/** Why the row lock did not last; null if it lasted. */
function lockText(taking: ExecutedCommand, { executed }: Evidence): string | null {
  const name = nameOf(taking)
  if (!taking.label.startsWith('SELECT ')) return null
  if (!/\bfor (no key )?update\b/i.test(taking.args[0]!)) return `${name} of ${taking.process} locks no row`
  const own = executed.filter(({ session }) => session === taking.session)
  const control = own.slice(0, own.indexOf(taking)).findLast(isControl)
  return control !== undefined && !/^(COMMIT|ROLLBACK)/.test(control.label)
    ? null
    : `${name} of ${taking.process} locked the row outside of a transaction, so that the lock ended with the statement`
}
