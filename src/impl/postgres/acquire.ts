/**
 * Decides what the state of a key means for an attempt, as `lua/acquire.lua` does, for a record of
 * PostgreSQL.
 */
import { type Begin, begunByNone } from '../in-doubt.ts'
import type { Settings } from '../options.ts'
import type { DoubtReason } from '../outcome.ts'
import { type Claim, type Completed, type Conflict, conflictOf, type Refused } from '../records.ts'
import type { FoundRecord, Look } from './look.ts'

export type Decision =
  | { readonly status: 'free'; readonly fence: number; readonly permit: boolean }
  /** `cut`: the deadline is more than a lease away, because the clock has gone back. */
  | { readonly status: 'held'; readonly leftMs: number; readonly cut: boolean }
  | { readonly status: 'in-doubt'; readonly reason: DoubtReason; readonly begin: Begin }
  | Conflict
  | { readonly status: 'fences-exhausted' }
  | Completed
  | Refused

type Terms = Pick<Settings, 'leaseMs' | 'retentionMs' | 'maxClockSkewMs' | 'sink'>

/** `generation` is the look's, which is not null. */
export function decide(
  { nowUs, record }: Look,
  generation: NonNullable<Look['generation']>,
  claim: Claim,
  { leaseMs, retentionMs, maxClockSkewMs, sink }: Terms,
): Decision {
  const { fingerprint, owner, producedAt } = claim
  if (record !== null && record.fingerprint !== fingerprint) return conflictOf(claim, record)
  if (record?.state === 'completed') return { status: 'completed', result: record.result, unkept: record.unkept }
  if (record?.state === 'refused') return { status: 'refused', error: record.error }

  const nowMs = Math.floor(nowUs / 1000)
  const known = counts(record, generation.id) ? record : null
  const again = known?.state === 'acquired' && known.owner === owner
  if (known !== null && known.state !== 'free' && !again) {
    const leftMs = known.deadlineMs - nowMs
    if (leftMs > 0) return { status: 'held', leftMs: Math.min(leftMs, leaseMs), cut: leftMs > leaseMs }
    if (known.state === 'begun' && sink.kind === 'plain') {
      const begin = beginOf(known, generation.id)
      return { status: 'in-doubt', reason: 'attempt-vanished', begin }
    }
  }

  // Higher than all earlier fences, even if they are lost: a fence is at least the time at which it
  // was granted.
  const fence = again ? known.fence : Math.max((record?.fence ?? 0) + 1, nowUs)
  if (fence > Number.MAX_SAFE_INTEGER) return { status: 'fences-exhausted' }
  const permit = known?.permit ?? false
  const doubt = (reason: DoubtReason): Decision => ({
    status: 'in-doubt',
    reason,
    begin: { fence, nonce: '', of: generation.id, fingerprint, by: begunByNone, reportedUs: nowUs },
  })
  if (sink.kind === 'plain' && known === null && producedAt <= generation.bornMs + maxClockSkewMs)
    return doubt('older-than-the-data')
  if (sink.kind !== 'fenced' && !permit && nowMs - producedAt >= retentionMs) return doubt('older-than-retention')
  if (sink.kind !== 'fenced' && known === null && producedAt > nowMs + maxClockSkewMs) return doubt('from-the-future')
  return { status: 'free', fence, permit }
}

/**
 * A begun record is valid in every generation. A record in any other state may be an old version
 * that has come back.
 */
export function counts(record: FoundRecord | null, generation: string): record is FoundRecord {
  return record !== null && (record.state === 'begun' || record.generation === generation)
}

export function beginOf({ fence, nonce, fingerprint, by }: FoundRecord, of: string): Begin {
  return { fence, nonce, of, fingerprint, by }
}
