/**
 * Runs an attempt that holds a key up to the point of no return: raise, prepare, begin. Until then
 * the key can be given back.
 */

import { freshToken } from './identity.ts'
import { metaJson } from './in-doubt.ts'
import type { Layer } from './layer.ts'
import { Lease } from './lease.ts'
import { needFence, type Raised } from './options.ts'
import { type RetryReason, type RunOutcome, retry } from './outcome.ts'
import { perform } from './perform.ts'
import { recordDone } from './record-done.ts'
import type { Hold } from './records.ts'
import type { Work } from './work.ts'

/** Failures unrelated to the message. Such attempts do not count. */
const notItsFault = new Set<RetryReason>([
  'redis-unreachable',
  'postgres-unreachable',
  'not-replicated',
  'replicas-uncounted',
])

export async function attempt<Prepared, Result>(
  layer: Layer,
  hold: Hold,
  work: Work<Prepared, Result>,
): Promise<RunOutcome<Result>> {
  const lease = new Lease(layer.records, hold, layer.settings)
  const nonce = freshToken()
  let counted = false
  const giveUp = async (attempts: number): Promise<RunOutcome<Result>> => {
    await layer.records.abandon(hold, nonce, { counts: true })
    layer.settings.notify({ type: 'given-up', key: hold.key, fence: hold.fence, attempts })
    return { status: 'failed', attempts }
  }
  const giveBack = async (reason: RetryReason, cause?: unknown, highest?: number) => {
    const counts = !(counted && notItsFault.has(reason))
    await layer.records.abandon(hold, nonce, { highest, counts })
    layer.settings.notify({ type: 'abandoned', key: hold.key, fence: hold.fence, reason })
    return retry(reason, layer.settings.soonMs, cause)
  }
  try {
    const raised = await raise(layer, hold)
    if (raised.status === 'applied') return await recordDone(layer, hold, hold.fence, raised.result, true)
    if (raised.status === 'refused') return await giveBack('superseded', undefined, raised.highest)
    if (raised.status === 'failed') return await giveBack('raise-failed', raised.cause)

    if (layer.settings.maxAttempts < Number.POSITIVE_INFINITY) {
      counted = true // or it may come to be
      const count = await layer.records.count(hold)
      if (count.status === 'unreachable') return await giveBack(layer.settings.unreachable, count.error)
      if (count.status === 'lost') return await giveBack('lease-lost')
      if (count.status === 'spent') return await giveUp(count.attempts)
    }
    const prepared = await prepare(work, hold, lease)
    if (prepared.status === 'failed') return await giveBack('prepare-failed', prepared.cause)
    if (prepared.status === 'late') return await giveBack('lease-lost')

    const begun = await layer.records.begin(hold, nonce, prepared.meta)
    if (begun.status === 'unreachable') return await giveBack(layer.settings.unreachable, begun.error)
    if (begun.status === 'not-replicated' || begun.status === 'replicas-uncounted')
      return await giveBack(begun.status, begun.error)
    // If the lease has ended, the attempt has begun too late: others may already call it in doubt.
    // No effect was sent, so the begin is undone.
    if (begun.status === 'lost' || !lease.alive) return await giveBack('lease-lost')

    layer.settings.notify({ type: 'begun', key: hold.key, fence: hold.fence })
    const { begunAt, attempt } = begun
    const by = {
      begunAt,
      attempt,
      process: layer.settings.process,
      meta: prepared.meta === '' ? null : JSON.parse(prepared.meta),
    }
    const begin = { fence: hold.fence, nonce, of: hold.of, fingerprint: hold.fingerprint, by }
    return await perform(layer, hold, begin, lease, (given) => work.effect(given, prepared.value))
  } finally {
    lease.stop()
  }
}

/** The valid answers of `raise`. Any other answer is treated as a failure. */
const raiseAnswers: ReadonlySet<Raised['status']> = new Set(['applied', 'clear', 'refused'])

type Failed = { readonly status: 'failed'; readonly cause: unknown }

/**
 * Asks a fenced sink before every effect, including the first. The sink thereby bars all earlier
 * attempts, and returns their effect if there is one.
 */
async function raise({ settings: { sink, notify } }: Layer, { key, fence }: Hold): Promise<Raised | Failed> {
  if (sink.kind !== 'fenced') return { status: 'clear' }
  try {
    const raised = await sink.raise(key, fence)
    if (!raiseAnswers.has(raised?.status))
      throw new TypeError("raise answers { status: 'applied', result }, { status: 'clear' } or { status: 'refused' }")
    if (raised.status === 'refused') needFence('raise', raised.highest)
    notify({ type: 'raised', key, fence, answer: raised.status })
    return raised
  } catch (cause) {
    notify({ type: 'raised', key, fence, answer: 'failed' })
    return { status: 'failed', cause }
  }
}

type Prepared<T> =
  | { readonly status: 'ready'; readonly value: T; readonly meta: string }
  | { readonly status: 'late' }
  | Failed

/** Waits for `prepare`, but not past the lease: a later result could not be used. */
async function prepare<T>(work: Work<T, unknown>, { key, meta }: Hold, lease: Lease): Promise<Prepared<T>> {
  const late = new Promise<Prepared<T>>((resolve) => lease.whenLost(() => resolve({ status: 'late' })))
  const ready = async (): Promise<Prepared<T>> => {
    try {
      const value = await work.prepare({
        key,
        get signal() {
          return lease.signal
        },
      })
      return { status: 'ready', value, meta: metaJson(meta, work.meta?.(value)) }
    } catch (cause) {
      return { status: 'failed', cause }
    }
  }
  return Promise.race([ready(), late])
}
