/**
 * Article 003, second strategy as in 003-postgres-skip-locked.ts, with the clean-up that it calls for: a job that scans for
 * orphaned rows, in progress and with an expired lock, and deletes them; and old results that go as well.
 *
 * What the article claims: a consumer that crashes leaves a row in progress. In its own code it leaves none, since the row is
 * committed together with its result: the job for orphans finds nothing but what somebody else has put there.
 * What differs: results go with their partition of a month there, by DROP. The simulated PostgreSQL has no partitioned tables,
 * so they are deleted by age, over the index of the article's DDL; what a consumer finds is the same.
 *
 * Decided here, since the article gives no numbers: the job is a timer of each consumer's process, once a minute as cron can at
 * most, on a connection of its own; a result is old when it is older than the retention. A job that fails is left to the next.
 */
import { Client } from 'pg'
import { skipLocked } from '../articles/003-postgres-skip-locked.ts'

const everyMs = 60_000

export default skipLocked({
  id: '003-postgres-clean-up',
  about:
    'The rows of 003-postgres-skip-locked, and a job that deletes orphans and old results (article 003, its lock time-out and clean-up).',
  deployed: 'CREATE INDEX idx_idempotency_records_created_at ON idempotency_records (created_at)',
  beside({ postgres, retentionMs }) {
    async function cleanUp(): Promise<void> {
      const client = new Client(postgres!.options)
      client.on('error', () => {})
      try {
        await client.connect()
        await client.query("DELETE FROM idempotency_records WHERE status = 'in_progress' AND lock_expires_at < NOW()")
        await client.query(
          "DELETE FROM idempotency_records WHERE status = 'completed' AND created_at < NOW() - $1 * INTERVAL '1 second'",
          [retentionMs / 1000],
        )
      } finally {
        // Not awaited: a broken connection never reports its end.
        void client.end().catch(() => {})
      }
    }
    const timer = setInterval(() => void cleanUp().catch(() => {}), everyMs)
    return () => clearInterval(timer)
  },
})
