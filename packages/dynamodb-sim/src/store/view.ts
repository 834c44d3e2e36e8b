import type { Item } from '../values/attribute-value.ts'
import { partitionIn, type Table } from './table.ts'

/** The state of a table that a read sees. */
export interface View {
  get(key: string): Item | undefined
  /** All keys in scan order. */
  readonly keys: readonly string[]
}

/**
 * The view of an eventually consistent read. In each partition, the read misses the latest writes,
 * as if from a replica that lags behind. `choose` returns the number of missed writes.
 */
export function staleView(
  table: Table,
  partitions: readonly string[],
  nowMs: number,
  choose: (writes: number) => number,
): View {
  const before = new Map<string, Item | undefined>()
  for (const partition of partitions) {
    const missable = table.missable(partition, nowMs)
    if (missable.length === 0) continue
    for (const write of missable.slice(0, choose(missable.length + 1))) before.set(write.key, write.before)
  }
  if (before.size === 0) return table
  const get = (key: string) => (before.has(key) ? before.get(key) : table.get(key))
  return {
    get,
    get keys() {
      const there = new Set([...table.keys, ...before.keys()])
      return [...there].filter((key) => get(key) !== undefined).sort()
    },
  }
}

/** All partitions that have items or were written recently. */
export function partitionsOf(table: Table, nowMs: number): readonly string[] {
  return [...new Set([...table.keys, ...table.lately(nowMs)].map(partitionIn))].sort()
}
