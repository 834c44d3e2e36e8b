/** Asks the sink about an effect in doubt, and answers slowly, as a person would. */
import type { Sink } from '../../../src/contract/api/sink.ts'
import type { Doubt, Reconciled } from '../../../src/impl/once.ts'

/**
 * Raises the fence of a fenced sink, which bars requests in flight. A keyed sink only has a lookup,
 * and a missing effect may still arrive; a plain sink knows nothing.
 */
export async function askSlowly(
  sink: Sink,
  doubt: Pick<Doubt, 'key' | 'fence'>,
  { leaseMs }: { leaseMs: number },
): Promise<Reconciled> {
  const answered = await ask(sink, doubt)
  await new Promise((resolve) => setTimeout(resolve, hesitation() * leaseMs))
  return answered
}

/** The delay in leases: half of the answers come at once, the others take up to two. */
function hesitation(): number {
  return Math.random() < 0.5 ? 0 : 2 * Math.random()
}

async function ask({ raise, lookup }: Sink, { key, fence }: Pick<Doubt, 'key' | 'fence'>): Promise<Reconciled> {
  if (lookup === undefined) return { status: 'unknown' }
  if (raise === undefined) {
    const found = await lookup(key)
    return found.status === 'applied' ? { status: 'applied', result: found.receipt } : { status: 'unknown' }
  }
  // The sink refuses fences below the raised one: one more than the highest fence in doubt.
  const bar = fence + 1
  const raised = await raise(key, bar)
  if (raised.status === 'applied') return { status: 'applied', result: raised.receipt }
  if (raised.status === 'clear') return { status: 'barred', highest: bar }
  // A higher fence is there, so the effect in doubt is barred; it may have happened before.
  const found = await lookup(key)
  if (found.status === 'applied') return { status: 'applied', result: found.receipt }
  return { status: 'barred', highest: raised.highest }
}
