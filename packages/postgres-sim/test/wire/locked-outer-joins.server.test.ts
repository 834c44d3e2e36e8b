/** FOR UPDATE and similar clauses on a table on the nullable side of an outer join. */
import { query } from '../frontend-bytes.ts'
import { sameOnBothServers } from './turns.ts'

const locked = (rest: string) => query(`SELECT a.id, b.id FROM a ${rest}`)

sameOnBothServers({
  'locked tables of an outer join': [
    query('DROP TABLE IF EXISTS a, b'),
    query('CREATE TABLE a (id int PRIMARY KEY)'),
    query('CREATE TABLE b (id int PRIMARY KEY)'),
    query('INSERT INTO a VALUES (1), (2)'),
    query('INSERT INTO b VALUES (1)'),
    locked('LEFT JOIN b ON a.id = b.id FOR UPDATE'),
    locked('LEFT JOIN b ON a.id = b.id ORDER BY 1 FOR UPDATE OF a'),
    locked('LEFT JOIN b ON a.id = b.id FOR SHARE OF b'),
    locked('JOIN b ON a.id = b.id FOR UPDATE'),
    locked('JOIN b ON a.id = b.id LEFT JOIN a c ON c.id = a.id FOR UPDATE OF a, b'),
    locked('JOIN b ON a.id = b.id LEFT JOIN a c ON c.id = a.id FOR NO KEY UPDATE OF c'),
    locked('LEFT JOIN (b JOIN a c ON c.id = b.id) ON a.id = b.id FOR UPDATE OF c SKIP LOCKED'),
  ],
})
