import { type PostgresServer, startPostgres } from 'test-servers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { needs, pathOf } from '../../../../../test/needs/needs.ts'
import { compareSpec } from '../../../fidelity/isolation/compare-specs.ts'
import { RealTarget } from '../../../fidelity/real-target.ts'
import { type Database, loadSqlParser } from '../../../src/index.ts'
import { rewriting } from '../rewriting.ts'

/** Two workers that take rows from a queue table, with texts of several statements. */
const takers = `
setup { CREATE TABLE work (id int PRIMARY KEY, done bool NOT NULL DEFAULT false); INSERT INTO work VALUES (1), (2), (3); }
teardown { DROP TABLE work; }
session one
setup { BEGIN; }
step take1 { SELECT id FROM work WHERE NOT done ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED; }
step mark1 { UPDATE work SET done = true WHERE id = 1; SELECT count(*) FROM work WHERE done; }
step end1 { COMMIT; }
session two
step take2 { BEGIN; SELECT id FROM work WHERE NOT done ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED; }
step end2 { COMMIT; }
`

/** Two sessions wait for keys of each other. Each sets deadlock_timeout. */
const keys = `
setup { CREATE TABLE records (key text PRIMARY KEY, holder text); }
teardown { DROP TABLE IF EXISTS records; DROP TABLE IF EXISTS records; }
session one
setup { SET deadlock_timeout = '10s'; }
step insert1 { BEGIN; INSERT INTO records VALUES ('a', 'one'); }
step cross1 { INSERT INTO records VALUES ('b', 'one') ON CONFLICT DO NOTHING; }
step end1 { COMMIT; }
session two
setup { SET deadlock_timeout = '10ms'; }
step insert2 { BEGIN; INSERT INTO records VALUES ('b', 'two'); }
step cross2 { INSERT INTO records VALUES ('a', 'two') ON CONFLICT DO NOTHING; }
step end2 { COMMIT; SELECT * FROM records ORDER BY key; }
permutation insert1 cross2(end1) end1 end2
permutation insert1 insert2 cross1 cross2 (*) end2 end1
`

/**
 * A lock timeout that ends a wait, and a text with a failing statement, which is rolled back
 * completely.
 */
const limits = `
setup { CREATE TABLE t (n int PRIMARY KEY); }
setup { INSERT INTO t VALUES (1); }
teardown { DROP TABLE t; }
session one
step lock { BEGIN; UPDATE t SET n = 2; }
step end { ROLLBACK; }
session two
step limited { SET lock_timeout = '5ms'; UPDATE t SET n = 3; }
step rest { SELECT pg_sleep(0.05), n FROM t; }
step fails { INSERT INTO t VALUES (7); INSERT INTO t VALUES (7); INSERT INTO t VALUES (8); }
permutation lock limited rest end rest fails rest
`

/** An unsupported statement that different steps follow. */
const functions = `
setup { CREATE TABLE t (n int); }
session one
step make { CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'; }
step use { SELECT f(); }
permutation make use
permutation make use use
`

needs({ postgres: '15.20' }).describe('an isolation specification on both servers', () => {
  let server: PostgresServer
  let real: RealTarget
  beforeAll(async () => {
    await loadSqlParser()
    server = await startPostgres(pathOf('postgres'))
    real = new RealTarget(server.port, 'isolation_of_tests')
  })
  afterAll(async () => {
    real.close()
    await server.stop()
  })

  const compare = (text: string, sabotage?: (database: Database) => void) =>
    compareSpec('one of ours', text, real, sabotage)

  it('is played in all its orders, with the same results in each', async () => {
    const { alike, outside, differences } = await compare(takers)
    expect({ alike, outside: [...outside], differences }).toEqual({ alike: 10, outside: [], differences: [] })
  })

  it('uses the deadlock_timeout of each session: the session that checks first is the victim', async () => {
    const { alike, differences } = await compare(keys)
    expect({ alike, differences }).toEqual({ alike: 2, differences: [] })
  })

  it('has the same results for lock timeouts, sleeping sessions, and texts that fail as a whole', async () => {
    const { alike, differences } = await compare(limits)
    expect({ alike, differences }).toEqual({ alike: 1, differences: [] })
  })

  it('reports unsupported features by name, and does not count their orders as equal', async () => {
    const { alike, outside, differences } = await compare(functions)
    expect({ alike, outside: [...outside], differences }).toEqual({
      alike: 0,
      outside: [['CREATE FUNCTION in the schema public', 2]],
      differences: [],
    })
  })

  it('differs on a server that treats SKIP LOCKED as NOWAIT, at the step that shows it', async () => {
    const { differences } = await compare(takers, rewriting(' SKIP LOCKED', ' NOWAIT'))
    expect(differences).not.toEqual([])
    for (const { steps, at, real: answer, simulated } of differences) {
      expect(steps[at]!.sql).toMatch(/SKIP LOCKED/)
      expect([answer, simulated]).toEqual([expect.stringContaining('SELECT 1'), expect.stringContaining('55P03')])
    }
  })

  it('differs on a server that chooses another deadlock victim', async () => {
    const { alike, differences } = await compare(keys, rewriting("'10ms'", "'20s'"))
    expect({ alike, different: differences.length }).toEqual({ alike: 1, different: 1 })
  })
})
