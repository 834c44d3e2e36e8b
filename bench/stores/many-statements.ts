/** A layer that sends many statements of pg per message, on one connection. */
import { Client } from 'pg'
import { defineImplementation } from '../../src/contract/api/implementation.ts'
import { table, upserts } from './upserts.ts'

export default defineImplementation({
  id: 'many-statements',
  about: 'Sends many statements for a message.',
  expect: 'holds',
  recoveryBoundMs: 60_000,
  stores: ['postgres'],
  async deploy({ postgres }) {
    const client = new Client(postgres!.options)
    await client.connect()
    await client.query(table)
    await client.end()
  },
  create({ postgres, sink }) {
    const client = new Client(postgres!.options)
    const connected = client.connect()
    return {
      async handle({ key, payload }) {
        await connected
        await upserts(client)
        return { status: 'done', result: (await sink.perform({ key, payload })) as never }
      },
      close: () => client.end(),
    }
  },
})
