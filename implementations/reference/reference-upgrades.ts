/**
 * The reference in a rolling upgrade: half of the consumers count attempts. Without `maxAttempts` a
 * layer sends the same commands as before that option existed, so this also tests the upgrade to a
 * version with the option.
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
