import { createHash } from 'node:crypto'
import type { Redis } from 'ioredis'
import type { JsonValue } from '../../../src/contract/api/json.ts'

/** True if the payload is the first one of that key. `lifeMs`: how long it is remembered, in ms. */
export async function bindPayload(client: Redis, key: string, payload: JsonValue, lifeMs: number): Promise<boolean> {
  const own = fingerprint(payload)
  const name = `payload:${key}`
  await client.set(name, own, 'PX', lifeMs, 'NX')
  const bound = await client.get(name)
  // The key was lost between the two commands: bind it again.
  return bound === null ? bindPayload(client, key, payload, lifeMs) : bound === own
}

/** Hashes the payload as received: a broker delivers every copy unchanged. */
export function fingerprint(payload: JsonValue): string {
  return createHash('sha256').update(JSON.stringify(payload)).digest('hex')
}
