/** Determines the state of a command's Redis keys at the time of its execution. */
import type { EventOf } from '../../../contract/api/history-index.ts'
import type { ExecutedCommand } from '../../../sim/world.ts'
import { setsOnlyTtl } from '../renewals.ts'
import { changeOf as changeOfKeys, changesNothing, isClaim, keysNamedBy, lifetimeOf, setsTtl } from './commands.ts'
import type { Evidence } from './evidence.ts'
import { changeOfScored, hasWritten, leavesAlone, memberIn, scoreGivenBy } from './members.ts'

/** The last change of the keys. */
export type Fate =
  /** No command of the run changed the keys. */
  | { readonly how: 'untouched' }
  /** `lived`: equal to `by`; null if another command has set the time to live since. */
  | { readonly how: 'written'; readonly by: ExecutedCommand; readonly lived: ExecutedCommand | null }
  /** `was`: the preceding write; null if that was a script or a transaction. */
  | { readonly how: 'deleted'; readonly by: ExecutedCommand; readonly was: ExecutedCommand | null }
  /** `early`: the key expired before the time to live of the write had passed. */
  | {
      readonly how: 'expired'
      readonly lost: EventOf<'data-lost'>
      readonly was: ExecutedCommand | null
      /** The write; null if another command has set the time to live since. */
      readonly lived: ExecutedCommand | null
      readonly early: boolean
    }
  | { readonly how: 'lost'; readonly lost: EventOf<'data-lost'>; readonly was: ExecutedCommand | null }
  /** The key was touched by a script, a transaction or another command that is not analyzed. */
  | { readonly how: 'unknown'; readonly by: ExecutedCommand }

export const atUsOf = ({ history }: Evidence, { seq }: ExecutedCommand): number => history.events[seq - 1]?.atUs ?? 0

/** The server that executed the command; null if there is only one. */
export function nodeOf({ seq }: ExecutedCommand, { history }: Evidence): string | null {
  const event = history.events[seq - 1]
  return event?.type === 'command' ? (event.node ?? null) : null
}

/**
 * True if the loss came after the command. For a write to a replaced primary, a history records the
 * loss directly before the write.
 */
export function isLostWith(command: ExecutedCommand, lost: EventOf<'data-lost'>, evidence: Evidence): boolean {
  if (lost.seq >= command.seq) return true
  return lost.cause === 'split-brain' && lost.seq === command.seq - 2 && lost.node === nodeOf(command, evidence)
}

/**
 * The fate of a command's keys at the time of its execution. It follows from earlier commands that
 * name one of the keys, except those that name only another member of the structure. The fate is
 * unknown after a script, unless the key expired or was lost after the script.
 */
export const fateOf = (evidence: Evidence, command: ExecutedCommand): Fate =>
  fateOfKeys(evidence, new Set(keysNamedBy(command)), command, memberIn(command))

/**
 * The fate of the given keys at the time of the command's execution; without a command, at the end
 * of the run.
 */
export function fateOfKeys(
  evidence: Evidence,
  keys: ReadonlySet<string>,
  command: ExecutedCommand | undefined,
  member: string | null = null,
): Fate {
  const changeOf = (one: ExecutedCommand) =>
    setsOnlyTtl(one, evidence.executed)
      ? 'none'
      : member === null
        ? changeOfKeys(one)
        : changeOfScored(one, member, scoreBefore(one))
  const gaveTtl = (one: ExecutedCommand) => setsTtl(one) || setsOnlyTtl(one, evidence.executed)
  const { executed, reading } = evidence
  const until = command === undefined ? executed.length : executed.indexOf(command)
  const untilSeq = command?.seq ?? Number.POSITIVE_INFINITY
  const before = executed
    .slice(0, until)
    .filter((one) => sharesKey(one, keys) && !(member !== null && leavesAlone(one, member)))
  const scoreBefore = (one: ExecutedCommand) =>
    scoreGivenBy(before.slice(0, before.indexOf(one)).findLast((add) => hasWritten(add, member!)) ?? one)
  const changed = before.findLast((one) => changeOf(one) !== 'none')
  const written = before.findLast((one) => changeOf(one) === 'written' || changeOf(one) === 'unknown')
  const was = written !== undefined && changeOf(written) === 'written' ? written : null
  const lost = reading
    .of('data-lost')
    .findLast(({ seq, redisKeys = [] }) => seq < untilSeq && redisKeys.some((key) => keys.has(key)))
  if (lost !== undefined && (changed === undefined || isLostWith(changed, lost, evidence))) {
    if (lost.cause !== 'expiry') return { how: 'lost', lost, was }
    const lifetimeMs = was === null ? null : lifetimeOf(was)
    const touched = before.slice(before.indexOf(was!) + 1).some((one) => !changesNothing(one) && !isRefused(one))
    const early = lifetimeMs !== null && !touched && lost.atUs - atUsOf(evidence, was!) < lifetimeMs * 1000 - oneMs
    const lived = was !== null && !before.slice(before.indexOf(was) + 1).some(gaveTtl) ? was : null
    return { how: 'expired', lost, was, lived, early }
  }
  if (changed === undefined) return { how: 'untouched' }
  const change = changeOf(changed)
  if (change === 'deleted') return { how: 'deleted', by: changed, was }
  if (change !== 'written') return { how: 'unknown', by: changed }
  const lived = before.slice(before.indexOf(changed) + 1).some(gaveTtl) ? null : changed
  return { how: 'written', by: changed, lived }
}

const isRefused = (command: ExecutedCommand): boolean => isClaim(command) && changeOfKeys(command) === 'none'

/** Redis has a resolution of one millisecond. */
const oneMs = 1000

export const sharesKey = (command: ExecutedCommand, keys: ReadonlySet<string>): boolean =>
  keysNamedBy(command).some((key) => keys.has(key))
