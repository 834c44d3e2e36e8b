/** Somebody who is asked what became of an effect in doubt, and takes his time. */
import type { Sink } from '../../../src/contract/api/sink.ts'
import type { Doubt, Reconciled } from '../../../src/impl/once.ts'

/**
 * A fenced sink is asked by raising the fence, which bars what may still be on its way. A keyed one can only be looked into,
 * and what it does not have yet may still come; of a plain one nobody knows anything.
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

/** In leases: half of the answers come at once, the others take up to two. */
function hesitation(): number {
  return Math.random() < 0.5 ? 0 : 2 * Math.random()
}

async function ask({ raise, lookup }: Sink, { key, fence }: Pick<Doubt, 'key' | 'fence'>): Promise<Reconciled> {
  if (lookup === undefined) return { status: 'unknown' }
  if (raise === undefined) {
    const found = await lookup(key)
    return found.status === 'applied' ? { status: 'applied', result: found.receipt } : { status: 'unknown' }
  }
  // The sink refuses what is below its fence: one more than whatever is in doubt was sent with.
  const bar = fence + 1
  const raised = await raise(key, bar)
  if (raised.status === 'applied') return { status: 'applied', result: raised.receipt }
  if (raised.status === 'clear') return { status: 'barred', highest: bar }
  // A higher fence is there, so what is in doubt is barred already; it may have been applied before.
  const found = await lookup(key)
  if (found.status === 'applied') return { status: 'applied', result: found.receipt }
  return { status: 'barred', highest: raised.highest }
}
