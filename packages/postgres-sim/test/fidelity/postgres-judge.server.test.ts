import { type PostgresServer, startPostgres } from 'test-servers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { needs, pathOf } from '../../../../test/needs/needs.ts'
import { compareSequence } from '../../fidelity/compare-sequences.ts'
import { setup } from '../../fidelity/generate.ts'
import { rowLocksSetup } from '../../fidelity/generate-row-locks.ts'
import { serializableSetup } from '../../fidelity/generate-serializable.ts'
import { RealTarget } from '../../fidelity/real-target.ts'
import type { Step } from '../../fidelity/target.ts'
import { type Database, loadSqlParser } from '../../src/index.ts'
import { rewriting } from './rewriting.ts'

/** Makes the server faulty: it treats a key as free while another transaction inserts it. */
function impatient(database: Database): void {
  const { catalog, ids } = database
  const add = catalog.add.bind(catalog)
  catalog.add = (relation) => {
    if (relation.kind === 'index') {
      const find = relation.find.bind(relation)
      relation.find = (heap, key) => find(heap, key).filter(({ xmin }) => ids.statusOf(xmin) !== 'active')
    }
    add(relation)
  }
}

/** Makes the server faulty: it serves the last waiter first. */
function lastFirst({ locks }: Database): void {
  const serve = locks.serve.bind(locks)
  locks.serve = (lock) => {
    lock.queue = lock.queue.toReversed()
    serve(lock)
  }
}

const cases: Record<
  string,
  {
    steps: readonly (readonly [session: number, sql: string])[]
    tables?: readonly string[]
    sabotage: (database: Database) => void
  }
> = {
  'SKIP LOCKED that is ignored': {
    steps: [
      [0, 'BEGIN'],
      [0, 'SELECT id FROM t WHERE id = 1 FOR UPDATE'],
      [1, 'SELECT id FROM t ORDER BY id FOR UPDATE SKIP LOCKED'],
      [0, 'COMMIT'],
    ],
    sabotage: rewriting(/ SKIP LOCKED/, ''),
  },
  'a session that does not wait for an uncommitted key': {
    steps: [
      [0, 'BEGIN'],
      [0, "INSERT INTO t (id, k) VALUES (9, 'z')"],
      [1, "INSERT INTO t (id, k) VALUES (9, 'y') ON CONFLICT DO NOTHING"],
      [0, 'ROLLBACK'],
    ],
    sabotage: impatient,
  },
  'a lock that the last waiter receives first': {
    steps: [
      [0, 'SELECT pg_advisory_lock(1)'],
      [1, 'SELECT pg_advisory_lock(1)'],
      [2, 'SELECT pg_advisory_lock(1)'],
      [3, 'SELECT pg_advisory_lock(1)'],
      [0, 'SELECT pg_advisory_unlock(1)'],
    ],
    sabotage: lastFirst,
  },
  'a ROLLBACK TO that undoes no changes': {
    steps: [
      [0, 'BEGIN'],
      [0, 'SAVEPOINT a'],
      [0, 'UPDATE t SET n = 9 WHERE id = 1'],
      [0, 'ROLLBACK TO a'],
      [1, 'SELECT n FROM t WHERE id = 1 FOR UPDATE'],
    ],
    sabotage: rewriting(/ROLLBACK TO a/, 'SELECT 1'),
  },
  'serializable transactions without tracked dependencies': {
    tables: serializableSetup,
    steps: [
      [0, 'BEGIN ISOLATION LEVEL SERIALIZABLE'],
      [1, 'BEGIN ISOLATION LEVEL SERIALIZABLE'],
      [0, 'SELECT sum(n) FROM y'],
      [1, 'SELECT sum(n) FROM y'],
      [0, "UPDATE y SET n = 5 WHERE k = 'a'"],
      [1, "UPDATE y SET n = 5 WHERE k = 'b'"],
      [0, 'COMMIT'],
      [1, 'COMMIT'],
    ],
    sabotage: ({ dependencies }) => {
      dependencies.add = () => {}
    },
  },
  'a FOR KEY SHARE that does not lock the row': {
    tables: rowLocksSetup,
    steps: [
      [0, 'BEGIN'],
      [0, 'UPDATE t SET n = n + 1 WHERE id = 1'],
      [3, 'BEGIN'],
      [3, 'UPDATE t SET n = n + 1 WHERE id = 1'],
      [1, 'BEGIN'],
      [1, 'SELECT * FROM t WHERE id = 1 FOR KEY SHARE'],
      [2, 'BEGIN'],
      [2, 'SELECT * FROM t WHERE id = 1 FOR UPDATE'],
      [0, 'COMMIT'],
      [1, 'COMMIT'],
      [2, 'COMMIT'],
    ],
    sabotage: rewriting(' FOR KEY SHARE', ''),
  },
}

needs({ postgres: '15.20' }).describe('the judge of the simulated PostgreSQL', () => {
  let server: PostgresServer
  let real: RealTarget
  beforeAll(async () => {
    await loadSqlParser()
    server = await startPostgres(pathOf('postgres'))
    real = new RealTarget(server.port)
  })
  afterAll(async () => {
    real.close()
    await server.stop()
  })

  for (const [name, { steps: given, tables, sabotage }] of Object.entries(cases)) {
    const steps: Step[] = given.map(([session, sql]) => ({ session, sql }))
    const compare = (broken?: typeof sabotage) => compareSequence(real, tables ?? setup, 4, steps, broken)

    it(`detects ${name}, and no difference in an unchanged server`, async () => {
      expect(await compare()).toEqual({ difference: null, declined: null, followed: steps.length })
      expect((await compare(sabotage)).difference).not.toBeNull()
    })
  }
})
