/**
 * Writes record and effect in one transaction by the client `postgres`, which pipelines and uses
 * prepared statements.
 */
import postgres from 'postgres'
import { defineImplementation } from '../../../src/contract/api/implementation.ts'

export default defineImplementation({
  id: 'by-another-client',
  stores: ['postgres'],
  sinks: ['transactional'],
  async deploy(context) {
    const sql = postgres(context.postgres!.url)
    await sql`CREATE TABLE records (key text PRIMARY KEY, result jsonb)`
    await sql.end()
  },
  create(context) {
    const sql = postgres(context.postgres!.url, { onnotice: () => {} })
    return {
      async handle({ key, payload }) {
        const result = await sql.begin(async (own) => {
          const taken = await own`INSERT INTO records (key) VALUES (${key}) ON CONFLICT DO NOTHING RETURNING key`
          if (taken.length === 0) return (await own`SELECT result FROM records WHERE key = ${key}`)[0]!.result
          const { text, values, result } = await context.sink.statement!({ key, payload })
          await own.unsafe(text, values)
          await own`UPDATE records SET result = ${own.json((result ?? null) as never)} WHERE key = ${key}`
          return result ?? null
        })
        return { status: 'done', result }
      },
    }
  },
})
