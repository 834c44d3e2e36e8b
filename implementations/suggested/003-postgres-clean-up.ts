/**
 * Article 003, second strategy as in 003-postgres-skip-locked.ts, with the clean-up that it calls
 * for: a job deletes orphaned rows, in progress and with an expired lock, and old results.
 *
 * What the article claims: a consumer that crashes leaves a row in progress. Its own code leaves
 * none, because row and result are committed together: the job only finds orphans from elsewhere.
 * What differs: in the article, results are dropped with their monthly partition. The simulated
 * PostgreSQL has no partitioned tables: results are deleted by age, over the DDL's index. Consumers
 * see no difference.
 * Decided here: the job is a timer of each process, on a separate connection, once a minute (as
 * often as cron can). Results are old after the retention. After a failed job, the next one does
 * the work.
 */
import { Client } from 'pg'
import { skipLocked } from '../articles/003-postgres-skip-locked.ts'

const everyMs = 60_000

export default skipLocked({
  id: '003-postgres-clean-up',
  about:
    'The rows of 003-postgres-skip-locked, and a job that deletes orphans and old results (article 003, its lock timeout and clean-up).',
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
