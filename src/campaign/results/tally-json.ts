/**
 * Converts a tally to JSON and back, for other machines and for files. Order is preserved, because
 * it is significant.
 */
import type { JsonValue } from '../../contract/api/json.ts'
import { emptyTally, type Tally } from '../tally/tally.ts'

/**
 * The version of the encoding in this file. The members of a tally depend on the version of
 * onceproof.
 */
const version = 1

export type ReadTally = { readonly ok: true; readonly tally: Tally } | { readonly ok: false; readonly problem: string }

export function tallyToJson(tally: Tally): JsonValue {
  return { version, tally: packed(tally) }
}

/** Validates everything: a file may be truncated, altered, or of another version. */
export function tallyFromJson(data: unknown): ReadTally {
  const { version: found, tally: written } = (data ?? {}) as { version?: unknown; tally?: unknown }
  if (found !== version) return { ok: false, problem: `its tally is of version ${String(found)}, not ${version}` }
  try {
    const tally = unpacked(written)
    const problem = shapeProblem(tally)
    return problem === null ? { ok: true, tally: tally as Tally } : { ok: false, problem }
  } catch (error) {
    return { ok: false, problem: (error as Error).message }
  }
}

/**
 * Maps and sets are encoded as objects with a single member of this name. Other objects do not have
 * such a member.
 */
const [mapMark, setMark] = ['$map', '$set'] as const

function packed(value: unknown): JsonValue {
  if (value instanceof Map) return { [mapMark]: [...value].map(([name, one]) => [packed(name), packed(one)]) }
  if (value instanceof Set) return { [setMark]: [...value].map(packed) }
  if (Array.isArray(value)) return value.map(packed)
  if (typeof value !== 'object' || value === null) return value as JsonValue
  const members = Object.entries(value).filter(([, one]) => one !== undefined)
  return Object.fromEntries(members.map(([name, one]) => [name, packed(one)]))
}

function unpacked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unpacked)
  if (typeof value !== 'object' || value === null) return value
  const { [mapMark]: map, [setMark]: set } = value as Record<string, unknown>
  if (map !== undefined) return new Map(listOf(map).map(entryOf))
  if (set !== undefined) return new Set(listOf(set).map(unpacked))
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, unpacked(one)]))
}

function entryOf(entry: unknown): [unknown, unknown] {
  const [name, value] = listOf(entry)
  return [unpacked(name), unpacked(value)]
}

function listOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value
  throw new Error('its tally is damaged: a list was expected')
}

/**
 * Why the data are not a tally; null if they are. A tally has every member of an empty tally, each
 * of the same type. Counts must be whole numbers.
 */
function shapeProblem(found: unknown): string | null {
  if (typeof found !== 'object' || found === null) return 'it holds no tally'
  const empty = Object.entries(emptyTally())
  const members = found as Record<string, unknown>
  const strange = Object.keys(members).find((name) => !empty.some(([known]) => known === name))
  if (strange !== undefined) return `this version does not know the member ${strange} of its tally`
  const unsound = empty.find(([name, like]) => !isLike(members[name], like))
  return unsound === undefined ? null : `the member ${unsound[0]} of its tally is damaged`
}

/**
 * True if the value has the type of `like`, the same member of an empty tally. If `like` is null, a
 * string is accepted, too.
 */
function isLike(value: unknown, like: unknown): boolean {
  if (like === null) return value === null || typeof value === 'string'
  if (typeof like === 'number') return Number.isSafeInteger(value) && (value as number) >= 0
  return typeof value === 'object' && value !== null && value.constructor === (like as object).constructor
}
