/** Writes to the table of effects by itself. */
import { Client } from 'pg'
import { defineImplementation } from '../../../src/contract/api/implementation.ts'

export default defineImplementation({
  id: 'writes-effects-itself',
  stores: ['postgres'],
  sinks: ['transactional'],
  create({ postgres, sink }) {
    return {
      async handle({ key, payload }) {
        const { text, values, result } = await sink.statement!({ key, payload })
        const client = new Client(postgres!.options)
        await client.connect()
        await client.query(text, [values[0], key, 'another payload'])
        await client.end()
        return { status: 'done', result: result ?? null }
      },
    }
  },
})
