import { expect, it } from 'vitest'
import { Database, loadSqlParser, type Session } from '../../src/index.ts'
import { ClientConnection } from '../../src/wire/client-connection.ts'
import { bind, execute, parse, query, startup, sync } from '../frontend-bytes.ts'

await loadSqlParser()

/**
 * The rows of the table after these bytes arrived in one piece and the connection was lost before
 * the statement `lost`.
 */
function rowsAfter(bytes: string, lost: string | null): readonly (readonly (string | null)[])[] {
  const database = new Database({
    nowUs: () => 0,
    after: () => () => {},
    chance: () => 0,
    unsupported: (what) => expect.fail(what),
  })
  const operator = database.connect({ user: 'app', database: 'app', parameters: {} })
  rowsOf(operator, 'CREATE TABLE records (key text)')
  const client: ClientConnection = new ClientConnection({
    connect: (given) => database.connect(given),
    cancel: () => {},
    executes: ({ text }) => {
      if (text !== lost) return true
      client.closed()
      return false
    },
    executed: () => {},
    send: () => {},
    close: () => {},
    later: (work) => work(),
    unsupported: (what) => expect.fail(what),
  })
  client.feed(startup() + bytes)
  while (client.step());
  return rowsOf(operator, 'SELECT key FROM records ORDER BY key')
}

function rowsOf(session: Session, sql: string) {
  let rows: readonly (readonly (string | null)[])[] = []
  session.execute(session.parse(sql)[0]!, [], (outcome) => {
    if (outcome.ok) rows = outcome.rows
  })
  return rows
}

const insert = (key: string) => `INSERT INTO records VALUES ('${key}')`
const pipelined = ['a', 'b', 'c'].map((key) => parse(insert(key)) + bind() + execute()).join('') + sync
const block = query('BEGIN') + query(insert('a')) + query(insert('b')) + query('COMMIT')

it.each([
  ['the extended protocol', pipelined, [['a'], ['b'], ['c']]],
  ['simple queries', block, [['a'], ['b']]],
])('statements that were pipelined after a lost statement never arrive: %s', (_, bytes, all) => {
  expect(rowsAfter(bytes, null)).toEqual(all)
  expect(rowsAfter(bytes, insert('b'))).toEqual([])
})
