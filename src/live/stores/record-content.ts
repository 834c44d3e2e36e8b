/**
 * A key's value as text that is equal on two servers if the values are equal. The reply of DUMP is
 * not used, because large hashes and sets are in a server-specific order.
 */
import type { Redis } from 'ioredis'

/**
 * The value with one character for each byte; null if the key does not exist. `dumped`: the reply
 * of DUMP, if it is known already.
 */
export async function contentOf(client: Redis, key: string, dumped?: Buffer | null): Promise<string | null> {
  switch (await client.type(key)) {
    case 'none':
      return null
    case 'hash':
      return sorted(pairs(await wordsOf(client, 'HGETALL', key)))
    case 'set':
      return sorted(await wordsOf(client, 'SMEMBERS', key))
    default:
      return (dumped === undefined ? await client.dumpBuffer(key) : dumped)?.toString('latin1') ?? null
  }
}

async function wordsOf(client: Redis, command: string, key: string): Promise<string[]> {
  return ((await client.callBuffer(command, key)) as Buffer[]).map((word) => word.toString('latin1'))
}

const pairs = (words: readonly string[]): string[] =>
  words.flatMap((field, at) => (at % 2 === 0 ? [JSON.stringify([field, words[at + 1]])] : []))

const sorted = (words: readonly string[]): string => JSON.stringify([...words].sort())
