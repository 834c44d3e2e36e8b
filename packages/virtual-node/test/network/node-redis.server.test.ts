import { createClient } from 'redis'
import { expect, it } from 'vitest'
import { respServer } from './resp-server.ts'
import { type Client, expectAlike } from './sides.ts'

it('node-redis observes the same on virtual sockets as on real ones', async () => {
  const client: Client = async ({ host, port }, log, over) => {
    const redis = createClient({
      RESP: 2,
      socket: { host, port, reconnectStrategy: (times) => (times > 1 ? false : 20) },
    })
    for (const event of ['connect', 'ready', 'reconnecting', 'end']) redis.on(event, () => log(event))
    redis.on('error', (error: Error & { code?: string }) => log(`error ${error.name} ${error.code} ${error.message}`))
    await redis.connect()
    log(`get a → ${await redis.get('a')}`)
    log(`both → ${await Promise.all([redis.get('b'), redis.set('c', '1')])}`)
    // Replies that come in one read resolve in another order than replies of two reads. This
    // program causes two reads, as is usual on a network.
    const readyAgain = new Promise((resolve) => redis.once('ready', resolve))
    log(`get reset-once → ${await redis.get('reset-once').catch((error: Error) => `${error.name} ${error.message}`)}`)
    await readyAgain
    log(`get d → ${await redis.get('d')}`)
    await redis.close()
    log('closed')
    over()
  }
  const events = await expectAlike(respServer, client)
  expect(events).toContain('get a → value of a')
  expect(events).toContain('reconnecting')
  expect(events.at(-1)).toBe('closed')
})
