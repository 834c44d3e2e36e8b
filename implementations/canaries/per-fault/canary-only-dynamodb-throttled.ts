import { suspiciousOfDynamodb } from '../parts/per-fault-dynamodb.ts'

export default suspiciousOfDynamodb(
  {
    id: 'canary-only-dynamodb-throttled',
    about: 'Performs twice if DynamoDB throttles.',
    kind: 'dynamodb-throttled',
  },
  (looks) => looks.some(({ error }) => error === 'ProvisionedThroughputExceededException'),
)
