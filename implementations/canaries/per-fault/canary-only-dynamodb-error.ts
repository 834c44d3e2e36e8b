import { suspiciousOfDynamodb } from '../parts/per-fault-dynamodb.ts'

export default suspiciousOfDynamodb(
  {
    id: 'canary-only-dynamodb-error',
    about: 'Performs twice after an InternalServerError of DynamoDB.',
    kind: 'dynamodb-error',
  },
  (looks) => looks.some(({ error }) => error === 'InternalServerError'),
)
