/** What a place in the write-ahead log is, and the file that it is in: asked of a real server too, where there is one. */
import { Client } from 'pg'
import { describe, expect, it } from 'vitest'
import { findPostgres, startPostgres } from '../../../src/fidelity/postgres/process.ts'
import { Lab } from './lab.ts'

/** Each with its only value, or its error. */
const answers: readonly (readonly [sql: string, answer: string])[] = [
  ["SELECT pg_walfile_name('0/1') AS of", '000000010000000000000000'],
  ["SELECT pg_walfile_name('1/1000001') AS of", '000000010000000100000001'],
  ["SELECT pg_walfile_name('0/0') AS of", '00000001FFFFFFFF000000FF'],
  ["SELECT pg_walfile_name('FFFFFFFF/0') AS of", '00000001FFFFFFFE000000FF'],
  ["SELECT 'a0/1F'::pg_lsn AS of", 'A0/1F'],
  ["SELECT ('0/2'::pg_lsn > '0/01'::pg_lsn)::text AS of", 'true'],
  ["SELECT pg_walfile_name('x') AS of", 'invalid input syntax for type pg_lsn: "x"'],
  ["SELECT pg_walfile_name('0/123456789') AS of", 'invalid input syntax for type pg_lsn: "0/123456789"'],
  ["SELECT pg_walfile_name('0/1'::text) AS of", 'function pg_walfile_name(text) does not exist'],
]

it.each(answers)('%s', (sql, answer) => {
  expect(new Lab().ask('one', sql).replace(/^(SELECT 1: |\w{5}: |ERROR: )/, '')).toContain(answer)
})

const programs = findPostgres()

describe.skipIf(programs === undefined)('the same of a real PostgreSQL', () => {
  it('answers alike', async () => {
    const server = await startPostgres(programs!)
    const client = new Client({ host: '127.0.0.1', port: server.port, user: 'postgres', database: 'postgres' })
    try {
      await client.connect()
      for (const [sql, answer] of answers) {
        const said = await client.query(sql).then(
          ({ rows }) => rows[0].of,
          ({ message }) => message,
        )
        expect(said).toBe(answer)
      }
    } finally {
      await client.end()
      await server.stop()
    }
  }, 60_000)
})
