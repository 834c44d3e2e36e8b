import type { Database } from './database.ts'
import { compareBytes, type Entry } from './entry.ts'
import type { StreamEntry } from './stream.ts'
import { lastId, printId } from './stream-id.ts'

/** One key as plain JSON. Unordered parts (fields, members) are sorted. */
export interface KeyDescription {
  readonly database: number
  readonly key: string
  readonly type: Entry['type']
  /**
   * Deadline in milliseconds since the Unix epoch; null if the key has no TTL; a string if a double
   * cannot represent the number.
   */
  readonly expireAtMs: number | string | null
  readonly value: string | readonly string[] | readonly (readonly [string, string])[]
}

export function describeDatabase(database: Database, nowMs: number): KeyDescription[] {
  const described: KeyDescription[] = []
  for (const key of [...database.entries.keys()].sort(compareBytes)) {
    const entry = database.entries.get(key)!
    const { expireAtMs } = entry
    if (expireAtMs !== -1 && nowMs > expireAtMs) continue
    described.push({
      database: database.index,
      key,
      type: entry.type,
      expireAtMs: expireAtMs === -1 ? null : typeof expireAtMs === 'bigint' ? expireAtMs.toString() : expireAtMs,
      value: describeValue(entry),
    })
  }
  return described
}

export function describeValue(entry: Entry): KeyDescription['value'] {
  switch (entry.type) {
    case 'string':
      return entry.text
    case 'hash':
      return [...entry.fields].sort(([a], [b]) => compareBytes(a, b))
    case 'list':
      return entry.items
    case 'set':
      return [...entry.members].sort(compareBytes)
    case 'zset':
      return entry.ordered().map((member) => [member, String(entry.scores.get(member)!)] as const)
    case 'stream':
      return describeStream(entry)
  }
}

/** Lists the entries by ID, then the groups with their pending entries. */
function describeStream(entry: StreamEntry): (readonly [string, string])[] {
  const items = entry.range(0n, lastId).map(({ id, fields }) => [printId(id), JSON.stringify(fields)] as const)
  const groups = entry.orderedGroups().map(({ name, lastId: last, pending }) => {
    const waiting = pending.idsFrom(0n).map((id) => `${printId(id)} ${pending.get(id)!.consumer.name}`)
    return [`group ${name}`, JSON.stringify([printId(last), ...waiting])] as const
  })
  return [...items, ...groups]
}
