/**
 * The rule for DUMP: the bytes must be identical. If the bytes depend on chance or on the history
 * of the value, only the values must be equal.
 */
import { defaultConfig } from '../config.ts'
import { loadValue, opened } from '../dump/load-value.ts'
import { describeValue } from '../keyspace/describe.ts'
import type { Entry } from '../keyspace/entry.ts'
import type { Rule } from './rules.ts'

export const sameValue: Rule = (real, simulated, args, database) => {
  const entry = database?.entries.get(args[1]!)
  if (database !== null && (entry === undefined || !mayDiffer(entry, real.text ?? ''))) return false
  const value = describe(real.text)
  return value !== undefined && value === describe(simulated.text)
}

function mayDiffer(entry: Entry, payload: string): boolean {
  switch (entry.type) {
    case 'string':
    case 'zset':
      return false
    case 'hash':
      return !entry.compact
    // An intset keeps the width of the widest integer that it ever held.
    case 'set':
      return true
    // The boundaries between several nodes depend on the order in which the nodes became full.
    case 'list':
      return payload.charCodeAt(1) !== 1
    // Deleted entries stay in their node, and groups contain times.
    case 'stream':
      return entry.groups.size > 0 || entry.nodes.some(({ deleted }) => deleted > 0)
  }
}

function describe(payload: string | null): string | undefined {
  const body = payload === null ? null : opened(payload)
  const entry = body === null ? undefined : loadValue(body, defaultConfig)
  return entry === undefined ? undefined : JSON.stringify([entry.type, describeValue(entry)])
}
