import Redlock from 'redlock5'
import { defineImplementation } from '../../src/contract/implementation.ts'
import { shortestLockMs, usingRedlock } from './parts/redlock-using.ts'

export default defineImplementation({
  id: 'redlock-5',
  about: 'A lock by redlock 5 that extends itself, as long as the lease, around a mark that is looked for and set.',
  minLeaseMs: shortestLockMs,
  create: (context) => usingRedlock(context, (client) => new Redlock([client])),
})
