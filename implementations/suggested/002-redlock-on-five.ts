/**
 * Article 002 names Redlock as the source of its ownership token, and implements a lock on one
 * server. This is Redlock as its README requires: five independent servers, three of which must
 * grant the lock.
 *
 * Decided here: the library is redlock 5 with its defaults, `using` extends the lock during the
 * effect, and the lock lasts as long as the lease. Under the lock, the mark is read, the effect is
 * performed, and the mark is set, each on a majority: three answers without a mark allow the
 * effect, and three servers with the mark complete it. Each server has a client with ioredis's
 * defaults.
 */
import { Redis } from 'ioredis'
import Redlock from 'redlock5'
import { defineImplementation } from '../../src/contract/api/implementation.ts'
import type { Marks } from '../third-party/parts/once-under-lock.ts'
import { shortestLockMs, usingRedlock } from '../third-party/parts/redlock-using.ts'

export default defineImplementation({
  id: '002-redlock-on-five',
  about: 'Redlock on five independent servers, around a mark that a majority of them has (article 002, by name).',
  expect: 'broken',
  shapes: ['independent'],
  minLeaseMs: shortestLockMs,
  create(context) {
    const clients = context.redis.nodes.map((node) => new Redis(node))
    return usingRedlock(context, clients, new Redlock(clients), marksOnMajority(clients))
  },
})

function marksOnMajority(clients: readonly Redis[]): Marks {
  return {
    get: (name) =>
      majority(
        clients,
        (client) => client.get(name),
        (found) => found !== null,
      ),
    set: (name, value, expiryMs) =>
      majority(
        clients,
        (client) => client.set(name, value, 'PX', expiryMs),
        () => false,
      ),
  }
}

/**
 * The first decisive answer, or the last of a majority without one. Rejects as soon as a majority
 * is impossible.
 */
function majority<T>(
  clients: readonly Redis[],
  ask: (client: Redis) => Promise<T>,
  settles: (answer: T) => boolean,
): Promise<T> {
  const quorum = Math.floor(clients.length / 2) + 1
  return new Promise((resolve, reject) => {
    let answered = 0
    let failed = 0
    for (const client of clients)
      ask(client).then(
        (answer) => {
          answered += 1
          if (settles(answer) || answered === quorum) resolve(answer)
        },
        (error) => {
          failed += 1
          if (failed > clients.length - quorum) reject(error)
        },
      )
  })
}
