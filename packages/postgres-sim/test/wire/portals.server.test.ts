/**
 * Bind and Execute messages that do not fit the statement: repeated executions, wrong formats,
 * unexpected parameters.
 */
import { ask, bind, describe, execute, parse, query, sync } from '../frontend-bytes.ts'
import { sameOnBothServers } from './turns.ts'

const tables = [query('DROP TABLE IF EXISTS a'), query('CREATE TABLE a (id int PRIMARY KEY, s text, j jsonb)')]
const twice = (sql: string) => parse(sql) + bind([], { portal: 'p' }) + execute(0, 'p') + execute(0, 'p') + sync

sameOnBothServers({
  'a portal that is executed again': [
    ...tables,
    twice('INSERT INTO a VALUES (1) RETURNING id'),
    twice('INSERT INTO a VALUES (2)'),
    twice('SELECT 1'),
    twice('SET lock_timeout = 0'),
    twice('SHOW lock_timeout'),
    parse('INSERT INTO a VALUES (3), (4) RETURNING id') +
      bind([], { portal: 'p' }) +
      execute(1, 'p') +
      execute(1, 'p') +
      execute(1, 'p') +
      sync,
    twice('SELECT 1 WHERE false'),
    twice('WITH x AS (INSERT INTO a VALUES (7) RETURNING id) SELECT * FROM x'),
    parse('SELECT 1') + bind() + execute() + execute() + sync,
    parse("UPDATE a SET s = 'x'") + bind() + execute() + execute() + sync,
  ],
  formats: [
    ...tables,
    parse('SELECT 1, 2, 3') + bind([], { results: [0, 1] }) + describe('P') + execute() + sync,
    parse('SELECT 1, 2') + bind([], { results: [0, 1] }) + execute() + sync,
    parse('SELECT 1') + bind([], { results: [0, 1] }) + execute() + sync,
    parse('INSERT INTO a VALUES (1)') + bind([], { results: [0, 1] }) + execute() + sync,
    parse('SELECT $1::int, $2::int') + bind(['1', '2'], { formats: [0, 0, 0] }) + execute() + sync,
    parse('SELECT 1') + bind([], { results: [2] }) + execute() + sync,
    parse('SELECT $1::int') + bind(['1'], { formats: [3] }) + execute() + sync,
    parse('SELECT 1,2') + bind([], { results: [0, 1, 0] }) + execute() + sync,
  ],
  'parameters for statements that accept none': [
    ask('SET lock_timeout = $1', ['1']),
    ask('SHOW lock_timeout'),
    ask('SET application_name TO $1', ['x']),
    ask('SET TIME ZONE $1', ['UTC']),
    query('SET lock_timeout = $1'),
    query('BEGIN'),
    ask('SAVEPOINT a'),
    ask('LISTEN c', []),
    parse('SET lock_timeout = 0') + bind(['1']) + execute() + sync,
    query('ROLLBACK'),
    parse('BEGIN') + bind(['1']) + execute() + sync,
  ],
})
