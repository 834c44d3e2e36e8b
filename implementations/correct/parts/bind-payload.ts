import { createHash } from 'node:crypto'
import type { Redis } from 'ioredis'
import type { JsonValue } from '../../../src/contract/api/json.ts'

/** Whether the key is that payload's: the first one to ask has it. `lifeMs`: how long it is remembered, in milliseconds. */
export async function bindPayload(client: Redis, key: string, payload: JsonValue, lifeMs: number): Promise<boolean> {
  const own = fingerprint(payload)
  const name = `payload:${key}`
  await client.set(name, own, 'PX', lifeMs, 'NX')
  const bound = await client.get(name)
  // Lost between the two: the next one to ask has it.
  return bound === null ? bindPayload(client, key, payload, lifeMs) : bound === own
}

/** Of a payload as it came: a broker hands out every copy alike. */
export function fingerprint(payload: JsonValue): string {
  return createHash('sha256').update(JSON.stringify(payload)).digest('hex')
}
