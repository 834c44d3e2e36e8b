import { suspiciousOfDynamodb } from '../parts/per-fault-dynamodb.ts'

export default suspiciousOfDynamodb(
  {
    id: 'canary-only-dynamodb-throttled',
    about: 'DynamoDB takes no more requests, so nobody else can work and everything is done here, twice.',
    kind: 'dynamodb-throttled',
  },
  (looks) => looks.some(({ error }) => error === 'ProvisionedThroughputExceededException'),
)
