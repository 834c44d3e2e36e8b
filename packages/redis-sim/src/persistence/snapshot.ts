/**
 * Converts a data set to text and back, for full resyncs and snapshot files.
 *
 * Fault model: the format is not RDB, so real replicas and files cannot be used. A data set is
 * always complete and undamaged. It contains what RDB contains of a key: the value, the deadline,
 * and the encoding (by the rules that loading would apply). Access times are reset, as after
 * loading a real file. The script cache is not included.
 */
import type { Database } from '../keyspace/database.ts'
import { type Entry, HashEntry, ListEntry, SetEntry, SortedSetEntry, StringEntry } from '../keyspace/entry.ts'
import { parseInt64 } from '../numbers/int64.ts'
import type { RedisServer } from '../server.ts'
import { packStream, type StreamPack, unpackStream } from './stream-pack.ts'

/** A value as JSON. Numbers that a double cannot represent are strings. */
type Pack =
  | readonly ['string', string, StringEntry['origin']]
  | readonly ['hash', readonly (readonly [string, string])[], boolean]
  | readonly ['list', readonly string[]]
  | readonly ['set', readonly string[], boolean]
  | readonly ['zset', readonly (readonly [string, string])[], boolean]
  | readonly ['stream', StreamPack]

type PackedKey = readonly [database: number, key: string, expireAtMs: string, value: Pack]

interface PackedDataSet {
  readonly libraries: readonly string[]
  readonly keys: readonly PackedKey[]
}

export function packDataSet({ keyspace, libraries }: RedisServer): string {
  const packed: PackedKey[] = []
  for (const database of keyspace.used()) {
    for (const [key, entry] of database.entries) {
      packed.push([database.index, key, String(entry.expireAtMs), packValue(entry)])
    }
  }
  const whole: PackedDataSet = { libraries: libraries.all().map(({ code }) => code), keys: packed }
  return JSON.stringify(whole)
}

/**
 * Loads into an empty server without publishing events. Expired keys are passed to `expired` if
 * given.
 */
export function unpackDataSet(
  text: string,
  server: RedisServer,
  expired?: (database: Database, key: string) => void,
): void {
  const { libraries, keys } = JSON.parse(text) as PackedDataSet
  for (const code of libraries) server.functionHost.load(code, true)
  const { state } = server.keyspace
  const { notify } = state
  state.notify = null
  let database: Database | undefined
  for (const [index, key, deadline, value] of keys) {
    if (database?.index !== index) database = server.keyspace.select(index)!
    const entry = unpackValue(value)
    entry.expireAtMs = parseInt64(deadline)!
    if (expired !== undefined && entry.expireAtMs !== -1 && state.nowMs > entry.expireAtMs) expired(database, key)
    else database.put(key, entry)
  }
  state.notify = notify
}

/** Clears the server before a data set is loaded. */
export function emptyDataSet({ keyspace, libraries }: RedisServer): void {
  for (const database of keyspace.used()) keyspace.flush(database)
  libraries.flush()
}

function packValue(entry: Entry): Pack {
  switch (entry.type) {
    case 'string':
      return ['string', entry.text, entry.origin]
    case 'hash':
      return ['hash', [...entry.fields], entry.compact]
    case 'list':
      return ['list', entry.items]
    case 'set':
      return ['set', [...entry.members], entry.integers]
    case 'zset':
      return ['zset', [...entry.scores].map(([member, score]) => [member, packScore(score)] as const), entry.compact]
    case 'stream':
      return ['stream', packStream(entry)]
  }
}

/** Converts a score to text, because JSON has neither infinities nor negative zero. */
function packScore(score: number): string {
  return Object.is(score, -0) ? '-0' : String(score)
}

function unpackValue(pack: Pack): Entry {
  switch (pack[0]) {
    case 'string':
      return new StringEntry(pack[1], pack[2])
    case 'hash': {
      const entry = new HashEntry()
      for (const [field, value] of pack[1]) entry.fields.set(field, value)
      entry.compact = pack[2]
      return entry
    }
    case 'list': {
      const entry = new ListEntry()
      entry.items = [...pack[1]]
      return entry
    }
    case 'set': {
      const entry = new SetEntry()
      for (const member of pack[1]) entry.members.add(member)
      entry.integers = pack[2]
      return entry
    }
    case 'zset': {
      const entry = new SortedSetEntry()
      for (const [member, score] of pack[1]) entry.scores.set(member, Number(score))
      entry.compact = pack[2]
      return entry
    }
    case 'stream':
      return unpackStream(pack[1])
  }
}
