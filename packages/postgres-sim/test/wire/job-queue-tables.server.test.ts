/** A job queue with foreign keys, a partitioned table, and a function that creates a partition. */
import { ask, query } from '../frontend-bytes.ts'
import { sameOnBothServers } from './turns.ts'

/** One text of several statements, like that of an installation script. */
const installed = (...statements: readonly string[]) => query(`BEGIN; ${statements.join('; ')}; COMMIT`)

const partitioned = installed(
  'CREATE SCHEMA p',
  "CREATE TYPE p.state AS ENUM ('created', 'active', 'done')",
  'CREATE TABLE p.queue (name text, made timestamptz NOT NULL DEFAULT now(), part text, PRIMARY KEY (name))',
  "CREATE TABLE p.job (id int NOT NULL, name text NOT NULL, state p.state NOT NULL DEFAULT 'created', k text, n int DEFAULT 3) PARTITION BY LIST (name)",
  'ALTER TABLE p.job ADD PRIMARY KEY (name, id)',
  'CREATE TABLE p.archive (LIKE p.job)',
  'ALTER TABLE p.archive ADD PRIMARY KEY (name, id)',
  'ALTER TABLE p.archive ADD archived_on timestamptz NOT NULL DEFAULT now()',
  'CREATE INDEX archive_i1 ON p.archive (archived_on)',
  `CREATE FUNCTION p.make(queue_name text, options json) RETURNS VOID AS $$
    DECLARE
      table_name varchar := 'j' || encode(sha224(queue_name::bytea), 'hex');
      made_on timestamptz;
    BEGIN
      WITH q AS (
        INSERT INTO p.queue (name, part) VALUES (queue_name, options->>'part')
        ON CONFLICT DO NOTHING RETURNING made
      )
      SELECT made INTO made_on FROM q;
      IF made_on IS NULL THEN
        RETURN;
      END IF;
      EXECUTE format('CREATE TABLE p.%I (LIKE p.job INCLUDING DEFAULTS)', table_name);
      EXECUTE format('ALTER TABLE p.%1$I ADD PRIMARY KEY (name, id)', table_name);
      EXECUTE format('ALTER TABLE p.%1$I ADD CONSTRAINT q_fkey FOREIGN KEY (name) REFERENCES p.queue (name) ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED', table_name);
      EXECUTE format('CREATE UNIQUE INDEX %1$s_i1 ON p.%1$I (name, COALESCE(k, '''')) WHERE state = ''created''', table_name);
      EXECUTE format('ALTER TABLE p.%I ADD CONSTRAINT cjc CHECK (name=%L)', table_name, queue_name);
      EXECUTE format('ALTER TABLE p.job ATTACH PARTITION p.%I FOR VALUES IN (%L)', table_name, queue_name);
    END;
    $$ LANGUAGE plpgsql`,
)

sameOnBothServers({
  'foreign keys must reference existing rows': [
    'CREATE TABLE parent (name text PRIMARY KEY, n int, UNIQUE (n), next text REFERENCES parent (name))',
    'CREATE TABLE child (id int PRIMARY KEY, name text REFERENCES parent ON DELETE CASCADE, n int REFERENCES parent (n))',
    'CREATE TABLE later (id int, name text, CONSTRAINT late FOREIGN KEY (name) REFERENCES parent (name) ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED)',
    'CREATE TABLE wrong (name text REFERENCES nothing)',
    'CREATE TABLE wrong (name text REFERENCES later (name))',
    'CREATE TABLE wrong (name text REFERENCES later)',
    'CREATE TABLE wrong (a int, FOREIGN KEY (nothing) REFERENCES parent (name))',
    "INSERT INTO child VALUES (1, 'a', NULL)",
    "INSERT INTO parent VALUES ('a', 1, NULL), ('b', 2, 'a'), ('c', 3, 'c')",
    "INSERT INTO parent VALUES ('d', 4, 'e')",
    "INSERT INTO child VALUES (1, 'a', 1), (2, 'b', NULL), (3, NULL, 9)",
    "INSERT INTO child VALUES (1, 'a', 1), (2, 'b', NULL), (3, NULL, NULL)",
    "UPDATE child SET name = 'z' WHERE id = 1",
    "UPDATE child SET name = 'b', n = 2 WHERE id = 1",
    "DELETE FROM parent WHERE name = 'a'",
    "DELETE FROM parent WHERE name = 'b'",
    'UPDATE child SET n = NULL',
    "DELETE FROM parent WHERE name = 'b'",
    'SELECT id, name FROM child ORDER BY id',
    "INSERT INTO later VALUES (1, 'x')",
    'BEGIN',
    "INSERT INTO later VALUES (1, 'x')",
    "INSERT INTO parent VALUES ('x', 7)",
    'COMMIT',
    'BEGIN',
    "INSERT INTO later VALUES (2, 'y')",
    'COMMIT',
    'SELECT id, name FROM later',
    'BEGIN',
    "INSERT INTO later VALUES (2, 'y'); DELETE FROM later WHERE id = 2",
    'COMMIT',
    "DELETE FROM parent WHERE name = 'x'",
    "INSERT INTO later VALUES (3, 'y'); SELECT 1",
  ].map(query),
  'rows are stored in their partition': [
    partitioned,
    query("INSERT INTO p.job (id, name) VALUES (1, 'a')"),
    ask('SELECT p.make($1, $2)', ['a', '{"part":"one"}']),
    ask('SELECT p.make($1, $2)', ['a', null]),
    query("SELECT p.make('b', NULL)"),
    query('SELECT p.make(1)'),
    query('SELECT p.none(1)'),
    query('SELECT name, part FROM p.queue ORDER BY name'),
    ...[
      "INSERT INTO p.job (id, name, k) VALUES (1, 'a', 'x'), (2, 'b', 'x') RETURNING id, name, n, k",
      "INSERT INTO p.job (id, name, k) VALUES (3, 'a', 'x') ON CONFLICT DO NOTHING RETURNING id",
      "INSERT INTO p.job (id, name, k) SELECT 3, q.name, 'y' FROM p.queue q ORDER BY q.name ON CONFLICT DO NOTHING RETURNING id, name",
      "INSERT INTO p.job (id, name) VALUES (1, 'a')",
      "INSERT INTO p.job (id, name) VALUES (9, 'c')",
      "INSERT INTO p.job (id, name) VALUES (NULL, 'a')",
      "UPDATE p.job SET state = 'active' WHERE name = 'a' AND id = 1 RETURNING id, name, state::text",
      "INSERT INTO p.job (id, name, k) VALUES (4, 'a', 'x') ON CONFLICT DO NOTHING RETURNING id",
      "SELECT id, name, state::text FROM p.job WHERE state < 'active' ORDER BY name, id LIMIT 2 FOR UPDATE SKIP LOCKED",
      "DELETE FROM p.job WHERE name = 'b' AND id = 2 RETURNING id, k",
      'WITH gone AS (DELETE FROM p.job WHERE id = 3 RETURNING *) INSERT INTO p.archive (id, name, state, k) SELECT id, name, state, k FROM gone ON CONFLICT DO NOTHING',
      'SELECT id, name, k FROM p.archive ORDER BY name, id',
      'SELECT count(*) FROM p.job',
      "DELETE FROM p.queue WHERE name = 'a'",
      "INSERT INTO p.archive (id, name, state) VALUES (7, 'q', 'none')",
    ].map(query),
  ],
  'partitions must not overlap; the default partition takes all other rows': [
    'CREATE TABLE parts (k text NOT NULL, n int, m int GENERATED ALWAYS AS (n + 1) STORED) PARTITION BY LIST (k)',
    'CREATE TABLE rest (LIKE parts INCLUDING GENERATED INCLUDING DEFAULTS)',
    'BEGIN; CREATE TABLE other (LIKE parts INCLUDING GENERATED); ALTER TABLE parts ATTACH PARTITION other DEFAULT; COMMIT',
    "BEGIN; CREATE TABLE a (LIKE parts INCLUDING GENERATED); ALTER TABLE parts ATTACH PARTITION a FOR VALUES IN ('a', 'b'); COMMIT",
    "BEGIN; CREATE TABLE b (LIKE parts INCLUDING GENERATED); ALTER TABLE parts ATTACH PARTITION b FOR VALUES IN ('b'); COMMIT",
    'ROLLBACK',
    "INSERT INTO parts VALUES ('a', 1), ('z', 2) RETURNING *",
    'SELECT * FROM a',
    'SELECT * FROM other',
    "INSERT INTO a VALUES ('z', 1)",
    "INSERT INTO other VALUES ('b', 1)",
    'SELECT x.a, x."b", x.c FROM json_to_recordset(\'[{"a": 1, "b": "t", "c": {"d": [1]}}, {"b": null, "e": 1}]\') AS x (a int, "b" text, c jsonb)',
    'INSERT INTO a SELECT \'a\', x.a FROM json_to_recordset(\'[{"a": "no"}]\') AS x (a int)',
  ].map(query),
  'the queries of a worker of a job queue': [
    query('CREATE TABLE waiting (id int PRIMARY KEY, g text, at int)'),
    query("INSERT INTO waiting VALUES (1, 'a', 3), (2, 'a', 2), (3, 'b', 1), (4, NULL, 0)"),
    ask('SELECT id FROM waiting WHERE id IN (SELECT unnest($1::int[])) ORDER BY id', ['{1,3,9}']),
    ask('SELECT unnest($1::int[]) AS one', ['{1,3,9}']),
    query('SELECT id, row_number() OVER (PARTITION BY id) FROM waiting ORDER BY id'),
    ask(
      `WITH next AS (SELECT id, g FROM waiting ORDER BY at LIMIT $1 FOR UPDATE SKIP LOCKED), numbered AS (
        SELECT n.id, row_number() OVER (PARTITION BY CASE WHEN $1 > 5 THEN n.g ELSE n.id::text END) AS row_number FROM next n)
      UPDATE waiting w SET at = 9 FROM numbered WHERE w.id = numbered.id AND numbered.row_number = 1`,
      ['2'],
    ),
    query('SELECT id, at FROM waiting ORDER BY id'),
    query("SELECT format('%I %L %s %%', 'Name', 'it''s', 3), format('%2$s %1$I', 'user', NULL), format('%L', NULL)"),
    query("UPDATE waiting SET g = format('%s') WHERE id = 1"),
    query("UPDATE waiting SET g = format('%I', NULL) WHERE id = 1"),
    query("UPDATE waiting SET g = format('%') WHERE id = 1"),
  ],
})
