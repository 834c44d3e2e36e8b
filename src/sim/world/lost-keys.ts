import type { KeyDescription } from 'redis-sim'
import { findCommand, keysOf } from 'redis-sim'
import { canonicalJson, type JsonValue } from '../../contract/api/json.ts'

/** Keys of the first data set that are missing from the second, or have another value in it. */
export function changedKeys(before: readonly KeyDescription[], after: readonly KeyDescription[]): string[] {
  const text = (described: KeyDescription) => canonicalJson(described as unknown as JsonValue)
  const now = new Set(after.map(text))
  return before.filter((described) => !now.has(text(described))).map(({ key }) => key)
}

/** The keys that a command names; undefined if it names none (EXEC). */
export function keysWritten(args: readonly string[]): readonly string[] | undefined {
  const command = findCommand(args[0]!.toLowerCase())
  const keys = command === undefined ? [] : keysOf(command, args)
  return keys.length === 0 ? undefined : keys
}
