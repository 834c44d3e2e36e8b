import { suspiciousOfDynamodb } from '../parts/per-fault-dynamodb.ts'

/** How long an answer may take, and how close together those come that were held back. */
const [usualMs, togetherMs] = [60, 5]

export default suspiciousOfDynamodb(
  {
    id: 'canary-only-slow-dynamodb',
    about: 'Performs twice if DynamoDB stalled and then answered everything at once.',
    kind: 'slow-dynamodb',
  },
  (looks) => {
    const waited = looks.filter(({ sentMs, endedMs, error }) => error === null && endedMs - sentMs > usualMs)
    // They were sent one after the other. A request whose answer was lost ends alone, and with an error.
    return waited.some((one) =>
      waited.some((other) => other !== one && Math.abs(one.endedMs - other.endedMs) <= togetherMs),
    )
  },
)
