/** GETSET writes the result over the claim, and removes its TTL. */
import type { Redis } from 'ioredis'
import type { Implementation } from '../../../src/contract/api/implementation.ts'
import { openClient } from './parts/locked.ts'

function layer(
  id: string,
  overwrite: (client: Redis, name: string, record: string) => Promise<unknown>,
): Implementation {
  return {
    ...{ id, recoveryBoundMs: 60_000, sinks: ['keyed'], leavesNoDoubtOn: ['keyed'], lacks: ['lease'] },
    create({ redis, retentionMs, sink }) {
      const client = openClient(redis)
      return {
        async handle({ key, payload, producedAt }) {
          if (Date.now() - producedAt > retentionMs) return { status: 'dead-letter', reason: 'in-doubt: too old' }
          const of = JSON.stringify(payload)
          const name = `record:${key}`
          await client.set(name, JSON.stringify({ of }), 'PX', 2 * retentionMs, 'NX')
          const found = await client.get(name)
          if (found === null) return { status: 'retry', reason: 'the record is gone' }
          const record = JSON.parse(found)
          if (record.of !== of) return { status: 'dead-letter', reason: 'key-reused' }
          if ('result' in record) return { status: 'done', result: record.result }
          const result = (await sink.perform({ key, payload })) ?? null
          await overwrite(client, name, JSON.stringify({ of, result }))
          return { status: 'done', result }
        },
        close: () => client.disconnect(),
      }
    },
  }
}

export const bug = layer('record-without-its-end', (client, name, record) => client.getset(name, record))
export const fix = layer('record-with-its-end', (client, name, record) => client.set(name, record, 'KEEPTTL', 'XX'))
