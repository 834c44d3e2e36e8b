/** UNIQUE NULLS NOT DISTINCT in constraints and indexes: nulls are equal to each other. */
import { query } from '../frontend-bytes.ts'
import { sameOnBothServers } from './turns.ts'

const drop = query('DROP TABLE IF EXISTS nulls')

sameOnBothServers({
  'a unique column': [
    drop,
    query('CREATE TABLE nulls (k text UNIQUE NULLS NOT DISTINCT, n int)'),
    query('INSERT INTO nulls VALUES (NULL, 1)'),
    query('INSERT INTO nulls VALUES (NULL, 2)'),
    query("INSERT INTO nulls VALUES ('null:', 3), ('', 4)"),
    query('INSERT INTO nulls VALUES (NULL, 5) ON CONFLICT (k) DO NOTHING RETURNING n'),
    query('INSERT INTO nulls VALUES (NULL, 6) ON CONFLICT (k) DO UPDATE SET n = excluded.n RETURNING n'),
    query("UPDATE nulls SET k = NULL WHERE k = ''"),
    query('SELECT n FROM nulls WHERE k = NULL'),
    query('SELECT n FROM nulls WHERE k IS NULL'),
  ],
  'a unique constraint on several columns': [
    drop,
    query('CREATE TABLE nulls (a int, b int, CONSTRAINT pair UNIQUE NULLS NOT DISTINCT (a, b), UNIQUE (b))'),
    query('INSERT INTO nulls VALUES (1, NULL), (NULL, NULL), (2, NULL)'),
    query('INSERT INTO nulls VALUES (1, NULL)'),
    query('INSERT INTO nulls VALUES (NULL, NULL) ON CONFLICT ON CONSTRAINT pair DO NOTHING'),
  ],
  'a unique index': [
    drop,
    query('CREATE TABLE nulls (a int, b text)'),
    query("INSERT INTO nulls VALUES (NULL, 'x'), (NULL, 'y')"),
    query('CREATE UNIQUE INDEX again ON nulls (a) NULLS NOT DISTINCT'),
    query("CREATE UNIQUE INDEX some ON nulls (a) NULLS NOT DISTINCT WHERE b = 'x'"),
    query("INSERT INTO nulls VALUES (NULL, 'y')"),
    query("INSERT INTO nulls VALUES (NULL, 'x')"),
    query('CREATE UNIQUE INDEX others ON nulls (lower(b), a) NULLS DISTINCT'),
    query("INSERT INTO nulls VALUES (NULL, 'Y')"),
  ],
})
