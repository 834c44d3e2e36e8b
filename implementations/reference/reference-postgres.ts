/**
 * The reference on PostgreSQL for an effect that is rows of the same database: record and effect
 * are one transaction. Guarantees and assumptions: docs/reference/guarantees.md.
 */
import { defineImplementation } from '../../src/contract/api/implementation.ts'
import { isSinkRefusal } from '../../src/contract/api/sink.ts'
import { createOnce } from '../../src/impl/once.ts'
import { openPool } from '../parts/open-pool.ts'
import { answer } from './parts/answer.ts'
import { deployTables, nowAndThen } from './parts/on-postgres.ts'

export default defineImplementation({
  id: 'reference-postgres',
  about:
    'The reference on PostgreSQL: record and effect in one transaction, and a read if the answer to COMMIT is lost.',
  expect: 'holds',
  recoveryBoundMs: 60_000,
  stores: ['postgres'],
  sinks: ['transactional'],
  leavesNoDoubtOn: ['transactional'],
  bindsProducedAt: true,
  maxClockSkewMs: 1000,
  lacks: ['lease'],
  has: ['transactions', 'transaction-limit'],
  deploy: deployTables,
  create({ postgres, sink, leaseMs, retentionMs }) {
    const pool = openPool(postgres!)
    const once = createOnce({
      ...{ pool, leaseMs, retentionMs, isRefusal: isSinkRefusal },
      sink: { kind: 'transactional' },
    })
    return {
      async handle({ key, payload, producedAt }) {
        nowAndThen(() => once.prune())
        const outcome = await once.run({ key, payload, producedAt }, async ({ tx }) => {
          const { text, values, result } = await sink.statement!({ key, payload })
          await tx.query(text, values)
          return result
        })
        return answer(outcome)
      },
      async close() {
        once.close()
        await pool.end()
      },
    }
  },
})
