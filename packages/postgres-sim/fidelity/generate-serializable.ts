import type { Random } from 'test-servers'
import type { Step } from './target.ts'

/** Creates a table that is searched by key, and a table that is always scanned. */
export const serializableSetup: readonly string[] = [
  'CREATE TABLE x (id int PRIMARY KEY, n int NOT NULL)',
  'INSERT INTO x VALUES (1, 0), (2, 0), (3, 0)',
  'CREATE TABLE y (k text, n int)',
  "INSERT INTO y VALUES ('a', 1), ('b', 2)",
]

const key = (r: Random) => String(1 + r.below(5))
const word = (r: Random) => r.pick(["'a'", "'b'", "'c'"])

const reads: readonly ((r: Random) => string)[] = [
  (r) => `SELECT n FROM x WHERE id = ${key(r)}`,
  (r) => `SELECT n FROM x WHERE id = ${key(r)}`,
  () => 'SELECT count(*), sum(n) FROM x',
  (r) => `SELECT n FROM y WHERE k = ${word(r)}`,
  () => 'SELECT sum(n) FROM y',
]

const statements: readonly ((r: Random) => string)[] = [
  ...reads,
  (r) => `UPDATE x SET n = n + 1 WHERE id = ${key(r)} RETURNING n`,
  (r) => `UPDATE y SET n = n + 1 WHERE k = ${word(r)}`,
  (r) => `INSERT INTO x VALUES (${key(r)}, 0)`,
  (r) => `INSERT INTO y VALUES (${word(r)}, 1)`,
  (r) => `DELETE FROM x WHERE id = ${key(r)}`,
  (r) => `DELETE FROM y WHERE k = ${word(r)}`,
]

/**
 * The first minor version (15.20) in which ON CONFLICT of a serializable transaction counts as a
 * read of the conflicting row.
 */
export const readsByOnConflict = 20
const onConflict: readonly ((r: Random) => string)[] = [
  (r) => `INSERT INTO x VALUES (${key(r)}, 0) ON CONFLICT DO NOTHING`,
  (r) =>
    `INSERT INTO x VALUES (${key(r)}, 0) ON CONFLICT (id) DO UPDATE SET n = x.n + 1${r.pick(['', ' WHERE x.n > 1'])}`,
]

const modes: readonly (readonly [weight: number, mode: string])[] = [
  [7, 'SERIALIZABLE'],
  [1, 'REPEATABLE READ'],
  [2, 'SERIALIZABLE READ ONLY'],
]

/**
 * Generates mostly serializable transactions, some with another isolation level and some that are
 * read-only and rarely try to write.
 */
export function generateSerializable(random: Random, sessions: number, length: number, minor: number): Step[] {
  const fitting = minor < readsByOnConflict ? statements : [...statements, ...onConflict]
  const open = new Map<number, string>()
  const steps: Step[] = []
  while (steps.length < length) {
    const session = random.below(sessions)
    let sql: string
    const mode = open.get(session)
    if (mode === undefined) {
      const begun = random.weighted(modes)
      sql = `BEGIN ISOLATION LEVEL ${begun}`
      open.set(session, begun)
    } else if (random.chance(25)) {
      sql = random.chance(85) ? 'COMMIT' : 'ROLLBACK'
      open.delete(session)
    } else sql = random.pick(mode.endsWith('READ ONLY') && random.chance(90) ? reads : fitting)(random)
    steps.push({ session, sql })
  }
  return steps
}
