import type { Item } from '../values/attribute-value.ts'
import { partitionIn, type Table } from './table.ts'

/** What a read sees of a table. */
export interface View {
  get(key: string): Item | undefined
  /** In the order of scans. */
  readonly keys: readonly string[]
}

/**
 * What an eventually consistent read sees: of each partition, the state before none, one or more of
 * its latest writes, as a copy has it that is behind. `choose` says before how many.
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

/** Every partition that has items, or had some lately. */
export function partitionsOf(table: Table, nowMs: number): readonly string[] {
  return [...new Set([...table.keys, ...table.lately(nowMs)].map(partitionIn))].sort()
}
