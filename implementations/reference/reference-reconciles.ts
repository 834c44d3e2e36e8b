/**
 * The reference with its entry point `reconcile`: the layer treats the sink as a plain one, and a
 * slow operator asks it about each effect in doubt.
 */
import { defineImplementation } from '../../src/contract/api/implementation.ts'
import { isSinkRefusal } from '../../src/contract/api/sink.ts'
import { createOnce } from '../../src/impl/once.ts'
import { askSlowly } from './parts/ask-sink.ts'
import { guarding } from './parts/guarding.ts'
import { optionsOf } from './parts/options.ts'
import reference from './reference.ts'

export default defineImplementation({
  ...reference,
  id: 'reference-reconciles',
  about: 'The reference with `reconcile`: the sink is asked about doubts, and its answer settles them.',
  // The operator may know nothing.
  leavesNoDoubtOn: [],
  // An answer takes up to two leases, reopening the key up to four command timeouts.
  answersWithinMs: reference.answersWithinMs! + 20_000 + 4 * 2000,
  create(context) {
    const { sink, leaseMs } = context
    const once = createOnce({
      ...optionsOf(context),
      isRefusal: isSinkRefusal,
      sink: {
        kind: 'plain',
        reconcile: (doubt) => askSlowly(sink, doubt, { leaseMs }),
      },
    })
    return guarding(once, sink)
  },
})
