/**
 * Decides whether two runs show the same cause. Two runs show the same cause if invariant, kind,
 * path, deciding step and needs are equal. They also show the same cause if their facts give the
 * same reason, and if the deciding steps or the paths are equal. For example, the claim expired
 * while its holder was working, in one run because of a pause and in the other because of a slow
 * sink. A deciding step that is more specific than its reason (a record that disappeared between
 * two commands, or was overwritten) is a separate cause.
 */
import type { Cause } from '../../contract/results/results.ts'
import { pathName } from '../causes/path-of.ts'

export interface Reasoned {
  readonly cause: Cause
  /** The reason derived from the facts of the run; null if no rule applies. */
  readonly reason: string | null
  /** True if violations of different kinds can be the same bug. */
  readonly ofAnyKind?: true
}

export function causeName(cause: Cause): string {
  return `${pathName(cause)}; needs ${cause.needs.join(', ')}`
}

export function isSameCause(a: Reasoned, b: Reasoned): boolean {
  if (causeName(a.cause) === causeName(b.cause)) return true
  if (a.cause.invariant !== b.cause.invariant) return false
  if (a.cause.kind !== b.cause.kind && !(a.ofAnyKind && b.ofAnyKind)) return false
  if (a.reason === null || b.reason === null) return false
  if (a.cause.kind === 'handler-never-answers') return withoutCommand(a.reason) === withoutCommand(b.reason)
  if (withoutDrawn(a.reason) !== withoutDrawn(b.reason)) return false
  // The last attempt executed no command, so the path belongs to earlier attempts and is not
  // compared.
  if (/^its last attempts threw the same error /.test(a.reason)) return true
  if (mannerOf(a.cause) !== mannerOf(b.cause)) return false
  return a.cause.decidedBy === b.cause.decidedBy || a.cause.path.join() === b.cause.path.join()
}

/** True unless both have a reason and the reasons differ. */
export const isSameReason = ({ reason: a }: Reasoned, { reason: b }: Reasoned): boolean =>
  a === null || b === null || withoutDrawn(a) === withoutDrawn(b)

/**
 * Removes the command, because a client that waits forever can wait for the reply to any command.
 */
const withoutCommand = (reason: string): string => reason.replace(/^the reply to .* can no longer come:/, '')

/** Removes details that are drawn for each run: lease lengths, consumers, and keys that collide. */
const withoutDrawn = (reason: string): string =>
  reason
    .replace(/: \S.* and .* meet in [^;]*/, '')
    .replaceAll(/\d[\d,.]* ?(ms|s|min|h|days?)\b( \d+ (s|min)\b)?/g, '…')
    .replaceAll(/\b\d of (\d+ servers) \([^)]*\)/g, '… of $1')
    .replaceAll(/\bredis-\d+ came back\b/g, 'a server came back')
    .replaceAll(/\bof redis-\d+ jumps [\d.]+/g, 'of a server jumps')
    .replaceAll(/\bconsumer-\d+(\.\d+)*\b/g, 'a consumer')

/** The suffix that follows the command and its reply in a deciding step (`decidingStep`). */
const mannerOf = ({ decidedBy }: Cause): string =>
  ['then', 'done meanwhile'].find((manner) => decidedBy?.includes(`, ${manner}`)) ?? ''
