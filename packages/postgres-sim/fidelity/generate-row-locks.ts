import type { Random } from 'test-servers'
import type { Step } from './target.ts'

/** Creates the row that all sessions use. */
export const rowLocksSetup: readonly string[] = [
  'CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL DEFAULT 0)',
  'INSERT INTO t VALUES (1, 0)',
]

/**
 * Number of sessions: enough that sessions queue, overtake each other, and arrive after other
 * sessions have ended.
 */
export const rowLocksSessions = 5

const statements: readonly (readonly [weight: number, sql: string])[] = [
  [2, 'SELECT * FROM t WHERE id = 1 FOR KEY SHARE'],
  [1, 'SELECT * FROM t WHERE id = 1 FOR SHARE'],
  [2, 'SELECT * FROM t WHERE id = 1 FOR NO KEY UPDATE'],
  [3, 'SELECT * FROM t WHERE id = 1 FOR UPDATE'],
  [1, 'SELECT * FROM t WHERE id = 1 FOR UPDATE NOWAIT'],
  [3, 'UPDATE t SET n = n + 1 WHERE id = 1'],
  [1, 'UPDATE t SET id = id WHERE id = 1'],
  [1, 'DELETE FROM t WHERE id = 1'],
  [1, 'INSERT INTO t VALUES (1, 5) ON CONFLICT (id) DO UPDATE SET n = t.n + 10'],
  [1, 'SAVEPOINT a'],
  [1, 'ROLLBACK TO a'],
]

/**
 * Generates transactions that lock and change the row with all lock strengths, and end while other
 * sessions wait.
 */
export function generateRowLocks(random: Random, length: number): Step[] {
  const open = new Set<number>()
  const steps: Step[] = []
  while (steps.length < length) {
    const session = random.below(rowLocksSessions)
    let sql: string
    if (!open.has(session)) {
      sql = random.chance(75) ? 'BEGIN' : 'BEGIN ISOLATION LEVEL REPEATABLE READ'
      open.add(session)
    } else if (random.chance(22)) {
      sql = random.chance(75) ? 'COMMIT' : 'ROLLBACK'
      open.delete(session)
    } else sql = random.weighted(statements)
    steps.push({ session, sql })
  }
  return steps
}
