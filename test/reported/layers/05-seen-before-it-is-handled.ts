/** The id of an event is recorded before the event is handled, and stays recorded if that fails. */
import { createClient } from 'redis'
import type { Implementation } from '../../../src/contract/api/implementation.ts'

function layer(id: string, takesBack: boolean): Implementation {
  return {
    ...{ id, recoveryBoundMs: 60_000, shapes: ['single'], lacks: ['stored-result', 'dead-lettering', 'lease'] },
    async create({ redis, retentionMs, sink }) {
      const client = createClient({ url: redis.url })
      client.on('error', () => {})
      await client.connect()
      const onlyNew = { condition: 'NX', expiration: { type: 'PX', value: 2 * retentionMs } } as const
      return {
        async handle({ key, payload }) {
          const note = await client.set(`noted:${key}`, 'yes', onlyNew)
          if (note === null) return { status: 'done', result: null, resultKept: false }
          try {
            return { status: 'done', result: await sink.perform({ key, payload }) }
          } catch (error) {
            if (takesBack) await client.del(`noted:${key}`)
            throw error
          }
        },
        close: () => client.destroy(),
      }
    },
  }
}

export const bug = layer('seen-before-it-is-handled', false)
export const fix = layer('seen-until-it-fails', true)
