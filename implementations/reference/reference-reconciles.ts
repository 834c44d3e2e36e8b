/**
 * The reference by its door `reconcile`: for the layer the sink is a plain one, and somebody asks it about each effect in
 * doubt. A fenced sink is asked by raising the fence, which bars what may still be on its way. A keyed one can only be
 * looked into, and what it does not have yet may still come; of a plain one nobody knows anything. A consumer that asks may take
 * his time before he tells.
 */
import { defineImplementation } from '../../src/contract/implementation.ts'
import { isSinkRefusal, type Sink } from '../../src/contract/sink.ts'
import { createOnce, type Doubt, type Reconciled } from '../../src/impl/once.ts'
import { guarding } from './parts/guarding.ts'
import { optionsOf } from './parts/options.ts'
import reference from './reference.ts'

export default defineImplementation({
  ...reference,
  id: 'reference-reconciles',
  about: 'The reference with `reconcile`: what is in doubt is asked of the sink, and settled by what it says.',
  // Whom it asks may know nothing.
  leavesNoDoubtOn: [],
  create(context) {
    const { sink, leaseMs } = context
    const once = createOnce({
      ...optionsOf(context),
      isRefusal: isSinkRefusal,
      sink: {
        kind: 'plain',
        async reconcile(doubt) {
          const answered = await ask(sink, doubt)
          await new Promise((resolve) => setTimeout(resolve, hesitation() * leaseMs))
          return answered
        },
      },
    })
    return guarding(once, sink)
  },
})

/** In leases: half of the answers come at once, the others take up to two. */
function hesitation(): number {
  return Math.random() < 0.5 ? 0 : 2 * Math.random()
}

async function ask({ raise, lookup }: Sink, { key, fence }: Doubt): Promise<Reconciled> {
  if (lookup === undefined) return { status: 'unknown' }
  if (raise === undefined) {
    const found = await lookup(key)
    return found.status === 'applied' ? { status: 'applied', result: found.receipt } : { status: 'unknown' }
  }
  // The sink refuses what is below its fence: one more than whatever is in doubt was sent with.
  const raised = await raise(key, fence + 1)
  if (raised.status === 'applied') return { status: 'applied', result: raised.receipt }
  if (raised.status === 'clear') return { status: 'barred' }
  // A higher fence is there, so what is in doubt is barred already; it may have been applied before.
  const found = await lookup(key)
  return found.status === 'applied' ? { status: 'applied', result: found.receipt } : { status: 'barred' }
}
