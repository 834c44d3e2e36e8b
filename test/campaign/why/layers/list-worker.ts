/**
 * Messages go into a list, and the worker of each process moves one item at a time to a list of
 * items in work. Items that stay there longer than `idleMs` are put back.
 */
import { Redis } from 'ioredis'
import type { CreateContext, Implementation } from '../../../../src/contract/api/implementation.ts'
import type { JsonValue } from '../../../../src/contract/api/json.ts'
import { oneAtATime } from './one-at-a-time.ts'

const put = `if redis.call('SET', KEYS[1], '1', 'NX', 'PX', ARGV[2]) then redis.call('LPUSH', KEYS[2], ARGV[1]) end`

/** `moves`: by LMOVE. `pops`: the worker pops the item, and keeps it only in memory. */
export const listWorker = ({ idleMs = 60_000, moves = false, pops = false } = {}): Pick<Implementation, 'create'> => ({
  create({ redis, sink, retentionMs }: CreateContext) {
    const client = new Redis({ ...redis.options, socketTimeout: 5000 })
    client.on('error', () => {})
    const seen = new Map<string, number>()

    async function putBack(): Promise<void> {
      for (const mail of await client.lrange('mails:working', 0, -1)) {
        const since = seen.get(mail) ?? Date.now()
        seen.set(mail, since)
        if (Date.now() - since < idleMs) continue
        seen.delete(mail)
        await client.multi().lrem('mails:working', 1, mail).rpush('mails', mail).exec()
      }
    }

    async function work(): Promise<void> {
      const mail = pops
        ? await client.rpop('mails')
        : moves
          ? await client.lmove('mails', 'mails:working', 'RIGHT', 'LEFT')
          : await client.rpoplpush('mails', 'mails:working')
      if (mail === null) return
      const { key, payload } = JSON.parse(mail) as { key: string; payload: JsonValue }
      await sink.perform({ key, payload })
      await client.lrem('mails:working', 1, mail)
    }

    const workOn = oneAtATime(work)
    const timer = setInterval(() => {
      void putBack().catch(() => {})
      workOn()
    }, 200)
    return {
      async handle({ key, payload }) {
        await client.eval(put, 2, `queued:${key}`, 'mails', JSON.stringify({ key, payload }), 2 * retentionMs)
        return { status: 'accepted' }
      },
      close() {
        clearInterval(timer)
        client.disconnect()
      },
    }
  },
})
