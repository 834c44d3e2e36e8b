/**
 * Whether what Redis lost would have stopped the next attempt, had it stood. What a layer makes of
 * a reply is not seen from outside: where it may have gone on all the same, the loss is not known
 * to be the reason.
 */
import { isOfSeveral } from '../../../check/repeat.ts'
import { keysInWords } from '../../../contract/results/whose-command.ts'
import { textOf } from '../../../sim/world/text-of.ts'
import type { ExecutedCommand } from '../../../sim/world.ts'
import { changeOf, isClaim, isScript, keysNamedBy, lifetimeOf } from './commands.ts'
import type { Evidence } from './evidence.ts'
import { atUsOf, sharesKey } from './fate.ts'
import { changesNoMember, isMemberClaim, isRemoval, lifeGivenBy, reportsLife } from './members.ts'
import { whatIs } from './parts.ts'

/**
 * Which deliveries sent the two effects is known, and so is what each had asked and how the first
 * one ended.
 */
export const sendersAreKnown = ({ attempts }: Evidence): boolean =>
  attempts !== null && !isOfSeveral(attempts.first) && !isOfSeveral(attempts.again)

/**
 * Nothing may have said that the key is free again: the first attempt was done by then, or no other
 * command wrote anything for it. An attempt that came to nothing may leave word of that wherever it
 * likes. `before`: what had been executed by the time of the question.
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

/** What says that somebody is at work stops those alone that ask for a claim. */
export function wouldHaveStopped(written: ExecutedCommand, question: ExecutedCommand, evidence: Evidence): boolean {
  const isRefusal = isAnyClaim(written) && isAnyClaim(question)
  return (
    (isDone(question, evidence) || isRefusal || valueIn(written) === '') && !mayBeOverdue(written, question, evidence)
  )
}

/** By all that gave it a time to live. Nobody can tell where a clock was touched. */
export const livesUntil = (question: ExecutedCommand, about: readonly ExecutedCommand[], evidence: Evidence): boolean =>
  about.every((one) => {
    const lifeMs = lifeGivenBy(one)
    if (!reportsLife(one)) return false
    return lifeMs === null || (isSteady(evidence) && atUsOf(evidence, one) + lifeMs * 1000 > atUsOf(evidence, question))
  })

const isDone = ({ seq }: ExecutedCommand, { attempts }: Evidence): boolean => {
  const answered = attempts!.first.delivery?.answered
  return answered?.outcome.status === 'done' && answered.seq < seq
}

const isAnyClaim = (command: ExecutedCommand): boolean => isClaim(command) || isMemberClaim(command)

/**
 * A layer may count a record as over after the retention, and a claim after the lease. A claim that
 * one left that was done is its record: it is over where Redis says so, or where its value may tell
 * a time.
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

/** What it wrote beside the name: nothing into a set, or a bit. */
function valueIn({ label, args }: ExecutedCommand): string {
  if (label === 'ZADD') return args.at(-2)!
  if (/^HM?SET(NX)?$/.test(label)) return args.slice(3).join(' ')
  if (/^P?SETEX$/.test(label)) return args[3]!
  return /^(SET|SETNX|GETSET)$/.test(label) ? args[2]! : ''
}
