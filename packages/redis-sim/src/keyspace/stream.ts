import { compareBytes, EntryBase } from './entry.ts'
import type { ConsumerGroup } from './stream-groups.ts'
import { lastId, type StreamId } from './stream-id.ts'
import { appendItem, type NodeLimits, type StreamItem, type StreamNode } from './stream-nodes.ts'

/** Which entries to keep: the newest ones up to a number, or those from an ID on. */
export interface Trim {
  readonly keep: { readonly by: 'length'; readonly length: number } | { readonly by: 'id'; readonly from: StreamId }
  /** True if only whole nodes are removed. */
  readonly approximate: boolean
  /** Maximum number of entries to remove; 0 means no limit. */
  readonly limit: number
}

/** An append-only log with consumer groups. Source: t_stream.c of Redis 7.0. */
export class StreamEntry extends EntryBase {
  readonly type = 'stream'
  length = 0
  firstId: StreamId = 0n
  lastId: StreamId = 0n
  /** The highest ID deleted by XDEL. */
  maxDeletedId: StreamId = 0n
  entriesAdded = 0
  nodes: StreamNode[] = []
  readonly groups = new Map<string, ConsumerGroup>()

  append(id: StreamId, fields: readonly string[], limits: NodeLimits): void {
    appendItem(this.nodes, { id, fields }, limits)
    this.length++
    this.entriesAdded++
    this.lastId = id
    if (this.length === 1) this.firstId = id
  }

  /** At most `count` entries between `from` and `to`, inclusive. `reverse` starts at the end. */
  range(from: StreamId, to: StreamId, count = Number.POSITIVE_INFINITY, reverse = false): StreamItem[] {
    const found: StreamItem[] = []
    if (from > to) return found
    const nodes = reverse ? [...this.nodes].reverse() : this.nodes
    for (const node of nodes) {
      if (node.last < from || node.master > to) continue
      const items = reverse ? [...node.items].reverse() : node.items
      for (const item of items) {
        if (item.id < from || item.id > to) continue
        if (found.length >= count) return found
        found.push(item)
      }
    }
    return found
  }

  find(id: StreamId): StreamItem | undefined {
    return this.range(id, id, 1)[0]
  }

  /** The highest existing ID; 0 if the stream is empty. */
  get topId(): StreamId {
    return this.range(0n, lastId, 1, true)[0]?.id ?? 0n
  }

  delete(id: StreamId): boolean {
    const node = this.nodes.find(({ master, last }) => master <= id && id <= last)
    const at = node?.items.findIndex((item) => item.id === id) ?? -1
    if (at === -1) return false
    node!.items.splice(at, 1)
    node!.deleted++
    this.length--
    if (node!.items.length === 0) this.nodes.splice(this.nodes.indexOf(node!), 1)
    return true
  }

  /** Called after deletions: stores the ID of the first existing entry, or 0-0. */
  updateFirstId(): void {
    this.firstId = this.nodes[0]?.items[0]?.id ?? 0n
  }

  /** Removes the oldest entries; returns their number. */
  trim({ keep, approximate, limit }: Trim): number {
    const before = this.length
    while (this.nodes.length > 0) {
      const node = this.nodes[0]!
      const entries = node.items.length
      if (keep.by === 'length' && this.length <= keep.length) break
      if (limit !== 0 && before - this.length + entries > limit) break
      const whole = keep.by === 'length' ? this.length - entries >= keep.length : node.last < keep.from
      if (whole) {
        this.nodes.shift()
        this.length -= entries
        continue
      }
      if (approximate) break
      const gone =
        keep.by === 'length' ? this.length - keep.length : node.items.filter(({ id }) => id < keep.from).length
      node.items.splice(0, gone)
      node.deleted += gone
      this.length -= gone
      break
    }
    if (this.length !== before) this.updateFirstId()
    return before - this.length
  }

  orderedGroups(): ConsumerGroup[] {
    return [...this.groups.values()].sort((a, b) => compareBytes(a.name, b.name))
  }

  copy(): StreamEntry {
    const { length, firstId, lastId, maxDeletedId, entriesAdded } = this
    const copy = Object.assign(new StreamEntry(), { length, firstId, lastId, maxDeletedId, entriesAdded })
    copy.nodes = this.nodes.map((node) => ({ ...node, items: [...node.items] }))
    for (const [name, group] of this.groups) copy.groups.set(name, group.copy())
    return copy
  }
}
