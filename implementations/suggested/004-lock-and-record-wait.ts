/**
 * Article 004, second pattern as in 004-lock-and-record.ts, with the behaviour that a comment
 * allows: it waits for a lock of another consumer, and requests it again. Decided here, because the
 * article gives no numbers: as many tries and pauses as in its third pattern, 5 × 100 ms.
 */
import { acquireLock, lockAndRecord } from '../articles/004-lock-and-record.ts'

const tries = 5
const betweenTriesMs = 100

const acquirePatiently: typeof acquireLock = async (...lock) => {
  for (let attempt = 0; attempt < tries; attempt++) {
    if (await acquireLock(...lock)) return true
    await new Promise((resolve) => setTimeout(resolve, betweenTriesMs))
  }
  return false
}

export default lockAndRecord({
  id: '004-lock-and-record-wait',
  about: 'A lock around GET, effect and SET that is waited for, 5 times 100 ms (article 004, second pattern).',
  failed: ({ message }) => ({ status: 'retry', reason: message }),
  acquire: acquirePatiently,
})
