/**
 * The handler as a layer for the simulator. It imports unmodified ioredis and no code of the
 * simulator.
 */
import { Redis } from 'ioredis'
import { defineImplementation } from '../../src/contract/api/implementation.ts'
import { createHandler } from '../handler.ts'

export default defineImplementation({
  id: 'bench-layer',
  create({ redis, instanceId, leaseMs, retentionMs, sink }) {
    const client = new Redis(redis.options)
    const handle = createHandler(client, {
      owner: instanceId,
      leaseMs,
      retentionMs,
      perform: async (request) => (await sink.perform(request)) ?? null,
    })
    return { handle, close: () => client.disconnect() }
  },
})
