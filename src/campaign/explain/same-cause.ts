/**
 * Whether what two runs show is one cause. It is where invariant, kind, path, deciding step and
 * needs are the same, and also where the facts of both give the same reason, by the same step or
 * along the same path: the claim expired while its holder was at work, whether a pause or a slow
 * sink was what it took. A step that says more than its reason (a record that was gone between two
 * commands, or was written over) is a cause of its own.
 */
import type { Cause } from '../../contract/results/results.ts'
import { pathName } from '../causes/path-of.ts'

export interface Reasoned {
  readonly cause: Cause
  /** What the facts of its run say of it; null where they do not say. */
  readonly reason: string | null
  /** One bug, whichever kind its violations are of. */
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
  // No command was executed, so that the path is that of earlier attempts.
  if (/^its last attempts threw the same error /.test(a.reason)) return true
  if (mannerOf(a.cause) !== mannerOf(b.cause)) return false
  return a.cause.decidedBy === b.cause.decidedBy || a.cause.path.join() === b.cause.path.join()
}

/** Do facts tell them apart? If one of them has no reason, they do not. */
export const isSameReason = ({ reason: a }: Reasoned, { reason: b }: Reasoned): boolean =>
  a === null || b === null || withoutDrawn(a) === withoutDrawn(b)

/** A client that never gives up does so whatever it was asked. */
const withoutCommand = (reason: string): string => reason.replace(/^the reply to .* can no longer come:/, '')

/** The length of a lease, the consumers, and the keys that meet are drawn for each run. */
const withoutDrawn = (reason: string): string =>
  reason
    .replace(/: \S.* and .* meet in [^;]*/, '')
    .replaceAll(/\d[\d,.]* ?(ms|s|min|h|days?)\b( \d+ (s|min)\b)?/g, '…')
    .replaceAll(/\b\d of (\d+ servers) \([^)]*\)/g, '… of $1')
    .replaceAll(/\bredis-\d+ came back\b/g, 'a server came back')
    .replaceAll(/\bof redis-\d+ jumps [\d.]+/g, 'of a server jumps')
    .replaceAll(/\bconsumer-\d+(\.\d+)*\b/g, 'a consumer')

/** What a deciding step says beside a command and its reply (`decidingStep`). */
const mannerOf = ({ decidedBy }: Cause): string =>
  ['then', 'done meanwhile'].find((manner) => decidedBy?.includes(`, ${manner}`)) ?? ''
