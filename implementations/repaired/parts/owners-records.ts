/** An attempt's record of a key, identified by its owner token. Only that attempt writes it. */
import { randomUUID } from 'node:crypto'
import type { Redis } from 'ioredis'
import type { RedisAddress } from '../../../src/contract/api/implementation.ts'
import type { JsonValue } from '../../../src/contract/api/json.ts'
import type { Message, Outcome } from '../../../src/contract/api/message.ts'
import { fingerprint } from '../../correct/parts/bind-payload.ts'
import { openClient } from '../../correct/parts/open-client.ts'
import { giveBackScript, replaceScript } from './scripts.ts'

interface OwnersRedis<Reply> extends Redis {
  take(name: string, owner: string, payload: string, lifeMs: number, ...more: (string | number)[]): Promise<Reply>
  replace(name: string, owner: string, record: string, lifeMs: number): Promise<0 | 1>
  giveBack(name: string, owner: string): Promise<0 | 1>
}

/** `takeScript`: KEYS[1] record; ARGV owner, payload fingerprint, life (ms), `take`'s arguments. */
export function openRecords<Reply>(redis: RedisAddress, takeScript: string, retentionMs: number) {
  const client = openClient(redis) as OwnersRedis<Reply>
  client.defineCommand('take', { numberOfKeys: 1, lua: takeScript })
  client.defineCommand('replace', { numberOfKeys: 1, lua: replaceScript })
  client.defineCommand('giveBack', { numberOfKeys: 1, lua: giveBackScript })
  // A copy at the end of the retention must still find the record.
  const lifeMs = 2 * retentionMs
  return {
    of({ key, payload }: Pick<Message, 'key' | 'payload'>) {
      const name = `idempotency:v2:${key}`
      const mine = { owner: randomUUID(), payload: fingerprint(payload) }
      const record = (status: string, more: object = {}) => JSON.stringify({ status, ...mine, ...more })
      const replace = (by: string) => client.replace(name, mine.owner, by, lifeMs)
      return {
        record,
        take: (...more: (string | number)[]) => client.take(name, mine.owner, mine.payload, lifeMs, ...more),
        /** Returns 0 if the record is gone, or now another attempt's. */
        begin: () => replace(record('BEGUN')),
        giveBack: () => client.giveBack(name, mine.owner),
        async complete(receipt: JsonValue | undefined): Promise<Outcome> {
          await replace(record('COMPLETED', { result: JSON.stringify(receipt ?? null) }))
          return { status: 'done', result: receipt }
        },
      }
    },
    close: () => client.disconnect(),
  }
}
