/**
 * A mark on independent servers before the effect. It is never given back once enough servers have
 * granted it. Why it is correct, and what it assumes: docs/findings/correct-layers.md.
 */
import { randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import { defineImplementation } from '../../src/contract/api/implementation.ts'
import type { Message, Outcome } from '../../src/contract/api/message.ts'
import { isSinkRefusal } from '../../src/contract/api/sink.ts'
import { fingerprint } from './parts/bind-payload.ts'

/** How many servers may lose the marks that they granted. */
const mayForget = 1

/** Two quorums share more servers than may forget: of five, a quorum is four. */
const quorumOf = (servers: number): number => Math.floor((servers + mayForget) / 2) + 1

const deleteMine = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`

/** After this time without a result, an attempt is dead-lettered. */
const patienceMs = 30_000

/** `outcome` is absent until the attempt has one. */
interface Mark {
  readonly owner: string
  readonly payload: string
  readonly atMs: number
  readonly outcome?: Outcome
}

export default defineImplementation({
  id: 'quorum-before-plain-sink',
  about: 'SET NX on independent servers before the effect: four of five must grant it, so that one may forget.',
  expect: 'holds',
  recoveryBoundMs: 60_000,
  shapes: ['independent'],
  lacks: ['lease'],
  create({ redis, retentionMs, sink }) {
    const clients = redis.nodes.map((node) => new Redis({ ...node, commandTimeout: 500 }))
    for (const client of clients) client.on('error', () => {})
    const quorum = quorumOf(clients.length)
    const lifeMs = 2 * retentionMs

    /** Null for a server that does not answer in time. It may still execute the command. */
    const ask = <T>(send: (client: Redis) => Promise<T>): Promise<(T | null)[]> =>
      Promise.all(clients.map((client) => send(client).catch(() => null)))

    /** Returns the marks after the SET: on each connection, the GET is executed after it. */
    async function marksAfter(key: string, text: string): Promise<Mark[]> {
      const found = await ask(async (client) => {
        const [, kept] = await Promise.all([client.set(key, text, 'PX', lifeMs, 'NX'), client.get(key)])
        return kept
      })
      return found.flatMap((kept) => (kept === null ? [] : [JSON.parse(kept) as Mark]))
    }

    async function perform({ key, payload }: Message): Promise<Outcome> {
      try {
        return { status: 'done', result: await sink.perform({ key, payload }) }
      } catch (error) {
        // No other request will ever be sent, so a refusal is final.
        if (isSinkRefusal(error)) return { status: 'refused', error: error.message }
        return { status: 'dead-letter', reason: 'in-doubt: the sink did not answer' }
      }
    }

    return {
      async handle(message) {
        const key = `mark:${message.key}`
        const mine: Mark = { owner: randomUUID(), payload: fingerprint(message.payload), atMs: Date.now() }
        const text = JSON.stringify(mine)
        const marks = await marksAfter(key, text)
        const grantedTo = (owner: string) => marks.filter((mark) => mark.owner === owner).length
        if (grantedTo(mine.owner) >= quorum) {
          const outcome = await perform(message)
          await ask((client) => client.set(key, JSON.stringify({ ...mine, outcome }), 'PX', lifeMs))
          return outcome
        }
        await ask((client) => client.eval(deleteMine, 1, key, text))
        const decided = marks.find(({ outcome }) => outcome !== undefined)
        if (decided?.outcome !== undefined)
          return decided.payload === mine.payload ? decided.outcome : { status: 'dead-letter', reason: 'key-reused' }
        const holder = marks.find(({ owner }) => grantedTo(owner) >= quorum - mayForget)
        if (holder !== undefined && mine.atMs - holder.atMs > patienceMs)
          return { status: 'dead-letter', reason: 'in-doubt: the attempt that began has told nothing' }
        // Two attempts that blocked each other must not retry at the same time.
        return { status: 'retry', reason: 'granted by too few servers', afterMs: 100 + Math.random() * 200 }
      },
      close: () => {
        for (const client of clients) client.disconnect()
      },
    }
  },
})
