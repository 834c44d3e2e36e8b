/**
 * The reference on PostgreSQL for an effect that is a request to another system: the record is
 * begun before it and completed after it, as on Redis.
 */
import { defineImplementation } from '../../src/contract/api/implementation.ts'
import { isSinkRefusal } from '../../src/contract/api/sink.ts'
import { createOnce } from '../../src/impl/once.ts'
import { openPool } from '../parts/open-pool.ts'
import { guarding } from './parts/guarding.ts'
import { deployTables, nowAndThen } from './parts/on-postgres.ts'
import { rulesOf } from './parts/options.ts'

export default defineImplementation({
  id: 'reference-postgres-outside',
  about:
    'The reference on PostgreSQL, for effects elsewhere: a begin on record before the effect, doubt instead of repetition.',
  expect: 'holds',
  recoveryBoundMs: 60_000,
  stores: ['postgres'],
  sinks: ['plain', 'keyed', 'fenced'],
  leavesNoDoubtOn: ['keyed', 'fenced'],
  bindsProducedAt: true,
  maxClockSkewMs: 1000,
  has: ['command-timeout'],
  deploy: deployTables,
  create({ postgres, sink, leaseMs, retentionMs }) {
    const pool = openPool(postgres!)
    const once = createOnce({
      ...{ pool, leaseMs, retentionMs, isRefusal: isSinkRefusal, sink: rulesOf(sink) },
      synchronousStandby: postgres!.standby === 'synchronous',
    })
    const { handle } = guarding(once, sink)
    return {
      handle(message) {
        nowAndThen(() => once.prune())
        return handle(message)
      },
      async close() {
        once.close()
        await pool.end()
      },
    }
  },
})
