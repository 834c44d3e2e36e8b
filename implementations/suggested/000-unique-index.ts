/**
 * Article 000, introduction: a UNIQUE index on the transaction as a first line of defense. The
 * effect is a row, and the index rejects a second row with its key. There is no record and no lock.
 *
 * What the article says against it: the consumer depends on the schema of the effect, writers of
 * one key wait for each other, a copy cannot detect that work is in progress, and there is no
 * stored result to answer it with.
 * Decided here: the index is on the key of the harness's table of effects. A rejected row is a
 * duplicate.
 */
import { DatabaseError } from 'pg'
import { defineImplementation } from '../../src/contract/api/implementation.ts'
import { deploys } from '../parts/deploys.ts'
import { inTransaction } from '../parts/in-transaction.ts'
import { openPool } from '../parts/open-pool.ts'

const uniqueViolation = '23505'

export default defineImplementation({
  id: '000-unique-index',
  about:
    'A UNIQUE index on the effect refuses a second one, and nothing else (article 000, its first line of defense).',
  expect: 'broken',
  serial: true,
  stores: ['postgres'],
  sinks: ['transactional'],
  lacks: ['lease', 'stored-result', 'dead-lettering', 'offline-queue'],
  has: ['transactions'],
  deploy: deploys('CREATE UNIQUE INDEX one_effect_per_key ON onceproof_effects (key)'),
  create({ postgres, sink }) {
    const pool = openPool(postgres!)
    return {
      async handle({ key, payload }) {
        try {
          const result = await inTransaction(pool, async (client) => {
            const effect = await sink.statement!({ key, payload })
            await client.query(effect.text, effect.values)
            return effect.result
          })
          return { status: 'done', result: result ?? null }
        } catch (error) {
          if (!(error instanceof DatabaseError) || error.code !== uniqueViolation) throw error
          return { status: 'done', result: null, resultKept: false }
        }
      },
      close: () => pool.end(),
    }
  },
})
