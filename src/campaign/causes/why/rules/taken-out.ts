/** A rule about an accepted job that was taken out of its structure and never put back. */
import { keysNamedIn } from '../../../../contract/results/keys-named-in.ts'
import { textOf } from '../../../../sim/world/text-of.ts'
import type { ExecutedCommand } from '../../../../sim/world.ts'
import { isScript, keysNamedBy, nameOf } from '../commands.ts'
import type { Evidence, Rule } from '../evidence.ts'
import { atTheirExec } from '../executed-in-multi.ts'
import { isUnheard } from '../unreachable.ts'

interface TakenOut {
  readonly command: ExecutedCommand
  /** The structure that contained the job. */
  readonly from: string
}

export const takenOutForGood: Rule = (evidence) => {
  const taken = takenOutOf(evidence)
  if (taken === null) return null
  const { command, from } = taken
  const since = whatEndedIt(evidence, command)
  return (
    since && `${nameOf(command)} of ${command.process} took the job out of ${from}, ${since}, and nothing put it back`
  )
}

/** `seq` of the events that the sentence mentions. */
export function shownOfTakenOut(evidence: Evidence): readonly number[] {
  const { command } = takenOutOf(evidence)!
  const ended = evidence.reading.of('process-ended').find((one) => isAfter(one, command))
  const struck = evidence.reading.of('fault-struck').find((one) => isAfter(one, command))
  return [command.seq - 1, ...((struck ?? ended) ? [(struck ?? ended)!.seq] : [])]
}

/** The command that took the job out, if it is the last command about the job. */
function takenOutOf(evidence: Evidence): TakenOut | null {
  const { violation, reading } = evidence
  const { key } = violation
  if (violation.kind !== 'accepted-and-forgotten' || key === null || reading.requestsOf(key).length > 0) return null
  const executed = atTheirExec(evidence.executed)
  const published = reading.of('published')
  const at = executed.findLastIndex((one) => {
    const job = jobTakenBy(one)
    return job !== null && keysNamedIn(textOf(job), published).has(key)
  })
  if (at < 0) return null
  const command = executed[at]!
  const job = jobTakenBy(command)!
  // A blocking command may name several structures. Its reply names the structure that contained
  // the job.
  const [named] = command.label.startsWith('B') ? (command.reply as readonly string[]) : [command.args[1]!]
  const from = textOf(named!)
  const later = executed.slice(at + 1)
  return later.some((one) => mayHavePut(one, job, from)) ? null : { command, from }
}

/**
 * The member that the command took out of a list or a sorted set; null if it took none, or moved
 * it.
 */
function jobTakenBy({ label, args, reply }: ExecutedCommand): string | null {
  if (label === 'LREM') return typeof reply === 'number' && reply > 0 ? (args[3] ?? null) : null
  if (label === 'ZREM') return reply === 1 && args.length === 3 ? args[2]! : null
  if (/^[LR]POP$/.test(label)) return typeof reply === 'string' ? reply : null
  if (!/^(B[LR]POP|B?ZPOP(MIN|MAX))$/.test(label) || !Array.isArray(reply)) return null
  const [first, second] = reply as unknown[]
  const job = label.startsWith('B') ? second : first
  return typeof job === 'string' ? job : null
}

/**
 * True for a later command that names or returns the job, or for a script on the structure `from`.
 */
function mayHavePut(one: ExecutedCommand, job: string, from: string): boolean {
  const { args, reply } = one
  const isAnswered = reply === job || (Array.isArray(reply) && reply.includes(job))
  const isNamed = args.includes(job) && !hasTakenNothing(one)
  return isAnswered || isNamed || (isScript(one) && keysNamedBy(one).includes(from))
}

const hasTakenNothing = ({ label, reply }: ExecutedCommand): boolean =>
  (/^[LZ]REM$/.test(label) && reply === 0) || label === 'ZSCORE' || label === 'LPOS'

/**
 * Why the process that took the job did not continue: it ended, or the reply was lost; null if
 * neither.
 */
function whatEndedIt(evidence: Evidence, command: ExecutedCommand): string | null {
  if (isUnheard(evidence, command, Number.POSITIVE_INFINITY)) return 'the reply to it was lost'
  const { executed, reading } = evidence
  const ended = reading.of('process-ended').find((one) => one.how !== 'closed' && isAfter(one, command))
  const last = ended && executed.findLast((one) => one.process === command.process && one.seq <= ended.seq)
  const isNext = last?.seq === command.seq && (last.args === command.args || last.label === 'EXEC')
  return isNext ? 'its process died' : null
}

const isAfter = (event: { readonly process?: string; readonly seq: number }, command: ExecutedCommand): boolean =>
  event.process === command.process && event.seq >= command.seq
