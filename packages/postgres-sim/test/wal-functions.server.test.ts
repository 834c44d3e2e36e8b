import { Client } from 'pg'
import { startPostgres } from 'test-servers'
import { expect, it } from 'vitest'
import { needs, pathOf } from '../../../test/needs/needs.ts'
import { walAnswers } from './wal-answers.ts'

needs({ postgres: '15' }).describe('a real PostgreSQL', () => {
  it('gives the recorded answers to calls of WAL functions', async () => {
    const server = await startPostgres(pathOf('postgres'))
    const client = new Client({ host: '127.0.0.1', port: server.port, user: 'postgres', database: 'postgres' })
    try {
      await client.connect()
      for (const [sql, answer] of walAnswers) {
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
  })
})
