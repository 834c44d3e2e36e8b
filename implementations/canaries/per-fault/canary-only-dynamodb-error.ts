import { suspiciousOfDynamodb } from '../parts/per-fault-dynamodb.ts'

export default suspiciousOfDynamodb(
  {
    id: 'canary-only-dynamodb-error',
    about: 'DynamoDB says that it failed, so what it holds is worth nothing and everything is done here, twice.',
    kind: 'dynamodb-error',
  },
  (looks) => looks.some(({ error }) => error === 'InternalServerError'),
)
