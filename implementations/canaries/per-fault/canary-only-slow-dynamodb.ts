import { suspiciousOfDynamodb } from '../parts/per-fault-dynamodb.ts'

/** The longest usual answer, and the interval in which delayed answers arrive together. */
const [usualMs, togetherMs] = [60, 5]

export default suspiciousOfDynamodb(
  {
    id: 'canary-only-slow-dynamodb',
    about:
      'DynamoDB held everything back and then did it all at once, so it must have failed and everything is done here, twice.',
    kind: 'slow-dynamodb',
  },
  (looks) => {
    const waited = looks.filter(({ sentMs, endedMs, error }) => error === null && endedMs - sentMs > usualMs)
    // They were sent one by one. A request with a lost answer ends alone, and with an error.
    return waited.some((one) =>
      waited.some((other) => other !== one && Math.abs(one.endedMs - other.endedMs) <= togetherMs),
    )
  },
)
