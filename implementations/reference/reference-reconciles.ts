/**
 * The reference by its entry point `reconcile`: for the layer the sink is a plain one, and somebody asks it about each effect in
 * doubt, and may take his time before he tells.
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
  // Whom it asks may know nothing.
  leavesNoDoubtOn: [],
  // Who is asked takes up to two leases; four time-outs of a command to reopen the key.
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
