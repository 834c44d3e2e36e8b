import { Redlock } from '@sesamecare-oss/redlock'
import { defineImplementation } from '../../src/contract/implementation.ts'
import { shortestLockMs, usingRedlock } from './parts/redlock-using.ts'

export default defineImplementation({
  id: 'sesamecare-redlock',
  about: 'A lock by @sesamecare-oss/redlock that extends itself, around a mark that is looked for and set.',
  minLeaseMs: shortestLockMs,
  create: (context) => usingRedlock(context, (client) => new Redlock([client])),
})
