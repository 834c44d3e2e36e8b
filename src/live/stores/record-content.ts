/**
 * What a key holds, as text that is the same on two servers that hold the same: what DUMP answers
 * is not, since a hash or a set that is large stands there in an order which is each server's own.
 */
import type { Redis } from 'ioredis'

/**
 * A byte a character; null where there is no such key. `dumped`: what DUMP has answered already.
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
