import type { Random } from 'test-servers'
import { selectStatement } from './generate-selects.ts'
import type { Step } from './target.ts'

/** Creates the tables that the sequences use. */
export const setup: readonly string[] = [
  'CREATE TABLE t (id int PRIMARY KEY, k text UNIQUE, n int NOT NULL DEFAULT 0, s text, CHECK (n < 1000))',
  "INSERT INTO t VALUES (1, 'a', 1, 'x'), (2, 'b', 2, 'y'), (3, 'c', 3, 'x')",
  "CREATE TABLE j (id serial PRIMARY KEY, status text NOT NULL DEFAULT 'new', worker int, data jsonb)",
  `INSERT INTO j (status, data) VALUES ('new', '{"p": 1}'), ('new', '{"p": 2}'), ('done', NULL), ('new', '{"p": 3, "q": [1, "z"]}')`,
  'CREATE TABLE p (key text, owner int, active boolean NOT NULL DEFAULT true, amount numeric(10,2))',
  'CREATE UNIQUE INDEX p_active ON p (key) WHERE active',
  "INSERT INTO p VALUES ('a', 1, true, 10.5), ('a', 2, false, 1), ('b', 1, true, 3)",
]

const ids = ['1', '2', '3', '4', '5']
const keys = ["'a'", "'b'", "'c'", "'d'", "'e'"]

const id = (random: Random) => random.pick(ids)
const key = (random: Random) => random.pick(keys)
const small = (random: Random) => String(random.below(6))

const begins = [
  'BEGIN',
  'BEGIN',
  'BEGIN',
  'BEGIN ISOLATION LEVEL REPEATABLE READ',
  'START TRANSACTION ISOLATION LEVEL READ COMMITTED',
]
const strengths = ['FOR UPDATE', 'FOR UPDATE', 'FOR NO KEY UPDATE', 'FOR SHARE', 'FOR KEY SHARE']
const policies = ['', '', ' SKIP LOCKED', ' NOWAIT']

type Make = (random: Random) => string

const inserts: readonly Make[] = [
  (r) => `INSERT INTO t (id, k, n) VALUES (${id(r)}, ${key(r)}, ${small(r)})`,
  (r) => `INSERT INTO t (id, k) VALUES (${id(r)}, ${key(r)}) RETURNING *`,
  (r) =>
    `INSERT INTO t (id, k, n) VALUES (${id(r)}, ${key(r)}, 1), (${id(r)}, ${key(r)}, 2) ON CONFLICT DO NOTHING RETURNING id, k`,
  (r) => `INSERT INTO t (id, k) VALUES (${id(r)}, ${key(r)}) ON CONFLICT (k) DO NOTHING`,
  (r) =>
    `INSERT INTO t (id, k) VALUES (${id(r)}, ${key(r)}) ON CONFLICT (id) DO UPDATE SET n = t.n + 1 RETURNING id, n, (xmax = 0) AS fresh`,
  (r) =>
    `INSERT INTO t AS o (id, k, s) VALUES (${id(r)}, ${key(r)}, 'w') ON CONFLICT (k) DO UPDATE SET s = EXCLUDED.s, n = o.n + EXCLUDED.n WHERE o.n < ${small(r)} RETURNING *`,
  (r) => `INSERT INTO t (id, k) VALUES (${id(r)}, ${key(r)}) ON CONFLICT (id) DO UPDATE SET k = EXCLUDED.k`,
  (r) =>
    `INSERT INTO t (id, k) VALUES (${id(r)}, ${key(r)}) ON CONFLICT (id) DO UPDATE SET ${r.pick(['n = n + 1', "n = t.n + 1 WHERE s = 'x'", 'n = (SELECT max(n) FROM j)', 'n = (SELECT max(t.n) FROM j)', 'n = (SELECT max(excluded.n + j.id) FROM j)', 's = excluded.nosuch', 'n = nn', 'n = t.n + 1 RETURNING excluded.n'])}`,
  (r) =>
    `INSERT INTO p (key, owner) VALUES (${key(r)}, ${small(r)}) ON CONFLICT (key) WHERE active DO NOTHING RETURNING owner`,
  (r) => `INSERT INTO p (key, owner, active) VALUES (${key(r)}, ${small(r)}, ${r.pick(['true', 'false'])}) RETURNING *`,
  (r) =>
    `INSERT INTO p (key, owner) VALUES (${key(r)}, 7) ON CONFLICT (key) WHERE active DO UPDATE SET owner = p.owner + 1, amount = coalesce(p.amount, 0) * 1.1 RETURNING owner, amount`,
  (r) => `INSERT INTO j (worker) SELECT n FROM t WHERE n > ${small(r)} ORDER BY id RETURNING id, worker`,
  (r) =>
    `WITH i AS (INSERT INTO t (id, k) VALUES (${id(r)}, ${key(r)}) ON CONFLICT DO NOTHING RETURNING id) SELECT count(*) FROM i`,
]

const updates: readonly Make[] = [
  (r) => `UPDATE t SET n = n + 1 WHERE id = ${id(r)} RETURNING n`,
  (r) => `UPDATE t SET n = n + 1 WHERE k = ${key(r)} AND n < ${small(r)}`,
  (r) => `UPDATE t SET n = n * 2 WHERE n >= ${small(r)} RETURNING id, n`,
  (r) => `UPDATE t SET k = ${key(r)} WHERE id = ${id(r)}`,
  (r) => `UPDATE t SET s = CASE WHEN s = 'x' THEN 'y' ELSE 'x' END WHERE s = ${r.pick(["'x'", "'y'"])} RETURNING id, s`,
  (r) => `UPDATE t SET n = n + ${small(r)}`,
  (_r) =>
    `UPDATE t SET n = t.n + j.id FROM j WHERE j.id = t.id AND j.status = 'new' AND t.n < 20 RETURNING t.id, t.n, j.id`,
  (r) => `UPDATE p SET active = NOT active WHERE key = ${key(r)} RETURNING *`,
  (r) => `UPDATE p SET owner = ${small(r)} WHERE key = ${key(r)} AND active`,
  (r) =>
    `UPDATE j SET status = 'taken', worker = ${small(r)} WHERE id = (SELECT id FROM j WHERE status = 'new' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING id, worker`,
  (r) =>
    `UPDATE j SET status = 'taken', worker = ${small(r)} WHERE id = (SELECT id FROM j WHERE status = 'new' ORDER BY id LIMIT 1 FOR UPDATE) RETURNING id`,
  (_r) =>
    `WITH c AS (SELECT id FROM j WHERE status = 'new' ORDER BY id LIMIT 2 FOR UPDATE SKIP LOCKED) UPDATE j SET status = 'done' FROM c WHERE j.id = c.id RETURNING j.id`,
  (r) => `UPDATE j SET status = 'new' WHERE id = ${id(r)} AND status <> 'new'`,
  (r) => `UPDATE j SET data = coalesce(data, '{}') || '{"r": ${small(r)}}' WHERE id = ${id(r)} RETURNING data`,
]

const deletes: readonly Make[] = [
  (r) => `DELETE FROM t WHERE id = ${id(r)}`,
  (r) => `DELETE FROM t WHERE k = ${key(r)} AND n < ${small(r)} RETURNING id`,
  (r) => `DELETE FROM p WHERE key = ${key(r)} RETURNING owner, active`,
  (_r) => `DELETE FROM j WHERE id IN (SELECT id FROM j WHERE status = 'done' ORDER BY id LIMIT 1) RETURNING id`,
  (r) => `DELETE FROM t WHERE EXISTS (SELECT 1 FROM p WHERE p.key = t.k AND active) AND n > ${small(r)} RETURNING k`,
]

const locks: readonly Make[] = [
  (r) => `SELECT * FROM t WHERE id = ${id(r)} ${r.pick(strengths)}${r.pick(policies)}`,
  (r) => `SELECT id, n FROM t ORDER BY id ${r.pick(strengths)}${r.pick(policies)}`,
  (r) =>
    `SELECT id FROM j WHERE status = 'new' ORDER BY id LIMIT ${r.pick(['1', '2'])} ${r.pick(strengths)}${r.pick(policies)}`,
  (r) =>
    `SELECT t.id, p.owner FROM t JOIN p ON p.key = t.k WHERE p.active ORDER BY t.id ${r.pick(strengths)} OF ${r.pick(['t', 'p'])}${r.pick(policies)}`,
  (r) => `SELECT id, n FROM t WHERE n > ${small(r)} ORDER BY id OFFSET 1 ${r.pick(strengths)}`,
]

const advisory: readonly Make[] = [
  (r) => `SELECT pg_advisory_xact_lock(${small(r)})`,
  (r) => `SELECT pg_try_advisory_xact_lock(${small(r)})`,
  (r) => `SELECT pg_advisory_lock(hashtext(${key(r)}))`,
  (r) => `SELECT pg_advisory_unlock(hashtext(${key(r)}))`,
  (r) => `SELECT pg_advisory_xact_lock_shared(${small(r)})`,
  (r) => `SELECT pg_try_advisory_lock(1, ${small(r)})`,
  () => 'SELECT pg_advisory_unlock_all()',
]

const others: readonly Make[] = [
  () => 'SAVEPOINT a',
  () => 'SAVEPOINT b',
  () => 'ROLLBACK TO a',
  () => 'ROLLBACK TO b',
  () => 'RELEASE a',
  () => 'SHOW transaction_isolation',
  () => 'SELECT now() = statement_timestamp(), now() <= clock_timestamp()',
  () => "SELECT nextval('j_id_seq') > 0",
  (r) =>
    `LOCK TABLE t IN ${r.pick(['SHARE', 'ROW EXCLUSIVE', 'EXCLUSIVE', 'ACCESS SHARE', 'SHARE ROW EXCLUSIVE'])} MODE${r.pick(['', ' NOWAIT'])}`,
  () => 'BEGIN',
  () => 'SELECT 1/0',
  () => 'SELECT nosuch FROM t',
  (r) => `INSERT INTO t (id, k, n) VALUES (${id(r)}, ${key(r)}, 1000)`,
  (r) => `INSERT INTO t (id, k, n) VALUES (${id(r)}, ${key(r)}, NULL)`,
  () => "SELECT 'x'::int",
  () => 'SELEC 1',
]

/** Generates statements of several sessions, in the order of execution. */
export function generateSequence(random: Random, sessions: number, length: number): Step[] {
  const open = new Set<number>()
  const steps: Step[] = []
  while (steps.length < length) {
    const session = random.below(sessions)
    let sql: string
    if (!open.has(session) && random.chance(60)) {
      sql = random.pick(begins)
      open.add(session)
    } else if (open.has(session) && random.chance(22)) {
      sql = random.pick(['COMMIT', 'COMMIT', 'COMMIT', 'ROLLBACK'])
      open.delete(session)
    } else {
      const kind = random.weighted<readonly Make[]>([
        [25, inserts],
        [28, updates],
        [9, deletes],
        [18, locks],
        [5, advisory],
        [8, others],
        [12, [selectStatement]],
      ])
      sql = random.pick(kind)(random)
    }
    steps.push({ session, sql })
  }
  return steps
}
