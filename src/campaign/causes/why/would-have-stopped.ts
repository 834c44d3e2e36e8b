/**
 * Decides whether a lost record would have stopped the next attempt. The layer's reaction to a
 * reply is not visible from outside: if the layer may have continued anyway, the loss is not known
 * to be the reason.
 */
import { isOfSeveral } from '../../../check/repeat.ts'
import { keysInWords } from '../../../contract/results/whose-command.ts'
import { textOf } from '../../../sim/world/text-of.ts'
import type { ExecutedCommand } from '../../../sim/world.ts'
import { changeOf, isClaim, isScript, keysNamedBy, lifetimeOf } from './commands.ts'
import type { Evidence } from './evidence.ts'
import { atUsOf, sharesKey } from './fate.ts'
import { changesNoMember, isMemberClaim, isRemoval, reportsTtl, ttlSetBy } from './members.ts'
import { whatIs } from './parts.ts'

/**
 * True if the deliveries that sent the two effects are known. Then the questions of both deliveries
 * and the end of the first delivery are known, too.
 */
export const sendersAreKnown = ({ attempts }: Evidence): boolean =>
  attempts !== null && !isOfSeveral(attempts.first) && !isOfSeveral(attempts.again)

/**
 * True if nothing can have marked the key as free again: the first attempt was done before the
 * question, or no other command wrote anything for the key. A failed attempt may record its failure
 * anywhere. `before`: the commands that were executed before the question.
 */
export function isTaken(
  written: ExecutedCommand,
  question: ExecutedCommand,
  before: readonly ExecutedCommand[],
  evidence: Evidence,
): boolean {
  const { began, process } = evidence.attempts!.first
  const mayConcern = (one: ExecutedCommand) => {
    const named = keysInWords(one.args.map(textOf), evidence.reading)
    return named.size === 0 ? one.process === process : named.has(evidence.attempts!.key)
  }
  const structure = new Set(keysNamedBy(written))
  return (
    isDone(question, evidence) ||
    before
      .filter((one) => one.seq > began.seq && one !== written && mayConcern(one))
      .every((one) => wroteNothing(one) || (isRemoval(one) && sharesKey(one, structure)))
  )
}

const wroteNothing = (one: ExecutedCommand): boolean =>
  changeOf(one) === 'none' || changesNoMember(one) || (keysNamedBy(one).length === 0 && !isScript(one))

/**
 * True if the record would have stopped the attempt. A mark that work is in progress stops only an
 * attempt that tries to claim the key.
 */
export function wouldHaveStopped(written: ExecutedCommand, question: ExecutedCommand, evidence: Evidence): boolean {
  const isRefusal = isAnyClaim(written) && isAnyClaim(question)
  return (
    (isDone(question, evidence) || isRefusal || valueIn(written) === '') && !mayBeOverdue(written, question, evidence)
  )
}

/**
 * True if the record lived until the question, according to all commands that set its time to live.
 * False if a clock was changed, because the time of the expiry is then unknown.
 */
export const livesUntil = (question: ExecutedCommand, about: readonly ExecutedCommand[], evidence: Evidence): boolean =>
  about.every((one) => {
    const ttlMs = ttlSetBy(one)
    if (!reportsTtl(one)) return false
    return ttlMs === null || (isSteady(evidence) && atUsOf(evidence, one) + ttlMs * 1000 > atUsOf(evidence, question))
  })

const isDone = ({ seq }: ExecutedCommand, { attempts }: Evidence): boolean => {
  const answered = attempts!.first.delivery?.answered
  return answered?.outcome.status === 'done' && answered.seq < seq
}

const isAnyClaim = (command: ExecutedCommand): boolean => isClaim(command) || isMemberClaim(command)

/**
 * A layer may treat a record as expired after the retention, and a claim after the lease. If an
 * attempt is done, its claim is its record: the claim ends when Redis deletes it, or at a time in
 * its value.
 */
function mayBeOverdue(written: ExecutedCommand, question: ExecutedCommand, evidence: Evidence): boolean {
  const { leaseMs, retentionMs } = evidence.history.header
  const isRecord = whatIs(written, evidence) === 'record'
  const reportsNoTime = lifetimeOf(written) !== null || !(isRecord || /\d/.test(valueIn(written)))
  if (isDone(question, evidence) && reportsNoTime) return false
  const ageUs = atUsOf(evidence, question) - evidence.attempts!.first.began.atUs
  return !isSteady(evidence) || ageUs > (isRecord ? retentionMs : leaseMs) * 1000
}

const isSteady = ({ reading }: Evidence): boolean =>
  !reading.of('fault-struck').some(({ fault }) => fault.startsWith('clock-'))

/** The value that the command wrote; empty for members of a set and for bits. */
function valueIn({ label, args }: ExecutedCommand): string {
  if (label === 'ZADD') return args.at(-2)!
  if (/^HM?SET(NX)?$/.test(label)) return args.slice(3).join(' ')
  if (/^P?SETEX$/.test(label)) return args[3]!
  return /^(SET|SETNX|GETSET)$/.test(label) ? args[2]! : ''
}
