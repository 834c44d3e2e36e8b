/** Hand-written sequences for what random ones hardly reach. */
import type { Sequence } from '../step.ts'
import { administration } from './administration.ts'
import { expiry } from './expiry.ts'
import { protocol } from './protocol.ts'
import { scripts } from './scripts.ts'
import { transactions } from './transactions.ts'
import { values } from './values.ts'

export const stories: readonly Sequence[] = [
  ...protocol,
  ...transactions,
  ...expiry,
  ...values,
  ...administration,
  ...scripts,
]
