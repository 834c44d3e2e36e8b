/**
 * The reference in a rolling upgrade: half of the consumers count attempts, and the others do not know of that yet. Without
 * `maxAttempts` a layer sends what it sent before there were any, so that this is also the version before beside this one.
 */
import { defineUpgrade } from '../../src/contract/api/upgrade.ts'
import reference from './reference.ts'
import givesUp from './reference-gives-up.ts'

export default defineUpgrade({
  id: 'reference-upgrades',
  about: 'The reference, whose consumers begin to count attempts while messages are under way.',
  expect: 'holds',
  from: reference,
  to: givesUp,
})
