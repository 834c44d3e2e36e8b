/**
 * Messages go into a stream, and the worker of each process takes one entry at a time. The next
 * worker claims an entry that is not acknowledged within `idleMs`.
 */
import { Redis } from 'ioredis'
import type { CreateContext, Implementation } from '../../../../src/contract/api/implementation.ts'
import type { JsonValue } from '../../../../src/contract/api/json.ts'
import { oneAtATime } from './one-at-a-time.ts'

const put = `if redis.call('SET', KEYS[1], '1', 'NX', 'PX', ARGV[2]) then redis.call('XADD', KEYS[2], '*', 'mail', ARGV[1]) end`

type Entries = readonly (readonly [id: string, fields: readonly string[]])[]

/** `forgets`: each copy of a message is added to the stream. */
export const streamRelay = ({ idleMs = 60_000, forgets = false } = {}): Pick<Implementation, 'create'> => ({
  create({ redis, sink, retentionMs, instanceId }: CreateContext) {
    const client = new Redis({ ...redis.options, socketTimeout: 5000 })
    client.on('error', () => {})

    async function take(): Promise<Entries> {
      const [, claimed] = (await client.xautoclaim('mails', 'senders', instanceId, idleMs, '0-0', 'COUNT', 1)) as [
        string,
        Entries,
      ]
      if (claimed.length > 0) return claimed
      const read = await client.xreadgroup('GROUP', 'senders', instanceId, 'COUNT', 1, 'STREAMS', 'mails', '>')
      return (read as [[string, Entries]] | null)?.[0][1] ?? []
    }

    async function work(): Promise<void> {
      await client.xgroup('CREATE', 'mails', 'senders', '0', 'MKSTREAM').catch(() => {})
      for (const [id, [, mail]] of await take()) {
        const { key, payload } = JSON.parse(mail!) as { key: string; payload: JsonValue }
        await sink.perform({ key, payload })
        await client.multi().xack('mails', 'senders', id).xdel('mails', id).exec()
      }
    }

    const timer = setInterval(oneAtATime(work), 200)
    return {
      async handle({ key, payload }) {
        const mail = JSON.stringify({ key, payload })
        if (forgets) await client.xadd('mails', '*', 'mail', mail)
        else await client.eval(put, 2, `queued:${key}`, 'mails', mail, 2 * retentionMs)
        return { status: 'accepted' }
      },
      close() {
        clearInterval(timer)
        client.disconnect()
      },
    }
  },
})
