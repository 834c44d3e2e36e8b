/** Overlapping attempts use WATCH and EXEC on one connection: an EXEC ends every WATCH. */
import { createClient, createClientPool, WatchError } from 'redis5'
import type { Implementation } from '../../../src/contract/api/implementation.ts'
import { answerOf, type Mark } from './parts/marked.ts'

type Connection = Pick<ReturnType<typeof createClient>, 'watch' | 'unwatch' | 'get' | 'multi'>
/** Lends a connection for one transaction. */
type Lend = <T>(use: (connection: Connection) => Promise<T>) => Promise<T>

function layer(id: string, lender: (url: string, shared: Connection) => Promise<Lend>): Implementation {
  return {
    ...{ id, recoveryBoundMs: 60_000, shapes: ['single'], lacks: ['lease'] },
    async create({ redis, leaseMs, retentionMs, sink }) {
      const lifeMs = 2 * retentionMs
      const client = createClient({ url: redis.url })
      client.on('error', () => {})
      await client.connect()
      const lend = await lender(redis.url, client)

      async function claim(name: string, mine: Mark): Promise<Mark> {
        try {
          return await lend(async (connection) => {
            await connection.watch(name)
            const found = await connection.get(name)
            if (found === null) await connection.multi().set(name, JSON.stringify(mine), { PX: lifeMs }).exec()
            else await connection.unwatch()
            return found === null ? mine : JSON.parse(found)
          })
        } catch (error) {
          if (error instanceof WatchError) return claim(name, mine)
          throw error
        }
      }

      return {
        async handle(message) {
          const name = `mark:${message.key}`
          const mine = { owner: `${Math.random()}`, of: JSON.stringify(message.payload) }
          const found = await claim(name, mine)
          if (found.owner !== mine.owner) return answerOf(found, message, lifeMs - (await client.pTTL(name)), leaseMs)
          try {
            const result = (await sink.perform(message)) ?? null
            await client.set(name, JSON.stringify({ ...mine, result }), { PX: lifeMs })
            return { status: 'done', result }
          } catch {
            return { status: 'dead-letter', reason: 'in-doubt' }
          }
        },
        close: () => client.destroy(),
      }
    },
  }
}

export const bug = layer('watch-on-one-connection', async (_, shared) => (use) => use(shared))

export const fix = layer('watch-on-a-connection-each', async (url) => {
  const pool = createClientPool({ url }, { minimum: 0 })
  pool.on('error', () => {})
  await pool.connect()
  return (use) => pool.execute(use as never)
})
