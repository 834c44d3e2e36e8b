import { suspiciousOfDynamodb } from '../parts/per-fault-dynamodb.ts'

/** The longest usual answer, and the interval in which delayed answers arrive together. */
const [usualMs, togetherMs] = [60, 5]

export default suspiciousOfDynamodb(
  {
    id: 'canary-only-slow-dynamodb',
    about: 'Performs twice if DynamoDB stalled and then answered everything at once.',
    kind: 'slow-dynamodb',
  },
  (looks) => {
    const waited = looks.filter(({ sentMs, endedMs, error }) => error === null && endedMs - sentMs > usualMs)
    // The requests were sent one by one. One with a lost answer ends alone, and with an error.
    return waited.some((one) =>
      waited.some((other) => other !== one && Math.abs(one.endedMs - other.endedMs) <= togetherMs),
    )
  },
)
