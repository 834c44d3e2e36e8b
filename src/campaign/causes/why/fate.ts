/** What had become of the Redis keys that a command names, by the time when it was executed. */
import type { EventOf } from '../../../contract/api/history-index.ts'
import type { ExecutedCommand } from '../../../sim/world.ts'
import { givesLifeAlone } from '../renewals.ts'
import { changeOf as changeOfKeys, changesNothing, isClaim, keysNamedBy, lifetimeOf, setsLife } from './commands.ts'
import type { Evidence } from './evidence.ts'
import { changeOfScored, hasWritten, leavesAlone, memberIn, scoreGivenBy } from './members.ts'

/** The last that had happened to them. */
export type Fate =
  /** No command of the run had touched them but by looking. */
  | { readonly how: 'untouched' }
  /** `lived`: the same, where nothing has given it another time to live since. */
  | { readonly how: 'written'; readonly by: ExecutedCommand; readonly lived: ExecutedCommand | null }
  /** `was`: what had written them; null where that was a script or a transaction. */
  | { readonly how: 'deleted'; readonly by: ExecutedCommand; readonly was: ExecutedCommand | null }
  /** `expired` too early: before the time to live that the write gave had passed. */
  | {
      readonly how: 'expired'
      readonly lost: EventOf<'data-lost'>
      readonly was: ExecutedCommand | null
      /** What had written them, where nothing has given them another time to live since. */
      readonly lived: ExecutedCommand | null
      readonly early: boolean
    }
  | { readonly how: 'lost'; readonly lost: EventOf<'data-lost'>; readonly was: ExecutedCommand | null }
  /** A script, a transaction or another command had it in hand. */
  | { readonly how: 'unknown'; readonly by: ExecutedCommand }

export const atUsOf = ({ history }: Evidence, { seq }: ExecutedCommand): number => history.events[seq - 1]?.atUs ?? 0

/** Null if there is one server alone. */
export function nodeOf({ seq }: ExecutedCommand, { history }: Evidence): string | null {
  const event = history.events[seq - 1]
  return event?.type === 'command' ? (event.node ?? null) : null
}

/**
 * The loss came after the command. A history tells of a write to a replaced primary that it is lost
 * just before it tells of the write.
 */
export function isLostWith(command: ExecutedCommand, lost: EventOf<'data-lost'>, evidence: Evidence): boolean {
  if (lost.seq >= command.seq) return true
  return lost.cause === 'split-brain' && lost.seq === command.seq - 2 && lost.node === nodeOf(command, evidence)
}

/**
 * By the commands before it that name one of its keys, and not another member of the structure
 * there. Scripts count as unknown, a key that expired or was lost after them does not.
 */
export const fateOf = (evidence: Evidence, command: ExecutedCommand): Fate =>
  fateOfKeys(evidence, new Set(keysNamedBy(command)), command, memberIn(command))

/**
 * Of other keys than the command names, by the time when it was executed; by the end, where that is
 * none.
 */
export function fateOfKeys(
  evidence: Evidence,
  keys: ReadonlySet<string>,
  command: ExecutedCommand | undefined,
  member: string | null = null,
): Fate {
  const changeOf = (one: ExecutedCommand) =>
    givesLifeAlone(one, evidence.executed)
      ? 'none'
      : member === null
        ? changeOfKeys(one)
        : changeOfScored(one, member, scoreBefore(one))
  const gaveLife = (one: ExecutedCommand) => setsLife(one) || givesLifeAlone(one, evidence.executed)
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
    const lived = was !== null && !before.slice(before.indexOf(was) + 1).some(gaveLife) ? was : null
    return { how: 'expired', lost, was, lived, early }
  }
  if (changed === undefined) return { how: 'untouched' }
  const change = changeOf(changed)
  if (change === 'deleted') return { how: 'deleted', by: changed, was }
  if (change !== 'written') return { how: 'unknown', by: changed }
  const lived = before.slice(before.indexOf(changed) + 1).some(gaveLife) ? null : changed
  return { how: 'written', by: changed, lived }
}

const isRefused = (command: ExecutedCommand): boolean => isClaim(command) && changeOfKeys(command) === 'none'

/** Redis counts whole milliseconds. */
const oneMs = 1000

export const sharesKey = (command: ExecutedCommand, keys: ReadonlySet<string>): boolean =>
  keysNamedBy(command).some((key) => keys.has(key))
