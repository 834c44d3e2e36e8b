/**
 * The reference by its option `maxAttempts`: a message whose attempts fail is set aside. Attempts are counted in the record, so
 * that a message which kills its processes is counted too.
 */
import { defineImplementation } from '../../src/contract/implementation.ts'
import { isSinkRefusal } from '../../src/contract/sink.ts'
import { createOnce } from '../../src/impl/once.ts'
import { guarding } from './parts/guarding.ts'
import { optionsOf } from './parts/options.ts'
import reference from './reference.ts'

export default defineImplementation({
  ...reference,
  id: 'reference-gives-up',
  about: 'The reference with `maxAttempts`: after three that failed a message is set aside.',
  // A message whose attempts are spent is set aside on every sink.
  leavesNoDoubtOn: [],
  create(context) {
    const once = createOnce({ ...optionsOf(context), isRefusal: isSinkRefusal, maxAttempts: 3 })
    return guarding(once, context.sink)
  },
})
