/**
 * The entries of a stream, in nodes as in real Redis. The node boundaries determine what
 * approximate trimming (`~`) removes and what XINFO STREAM prints. A node keeps its deleted
 * entries, and is removed when its last live entry is deleted.
 */
import { emptyListpackBytes, listpackBytes } from './listpack-size.ts'
import { msOf, type StreamId, seqOf } from './stream-id.ts'

export interface StreamItem {
  readonly id: StreamId
  /** Alternating fields and values. */
  readonly fields: readonly string[]
}

export interface StreamNode {
  /** The ID of the node's first entry, deleted or not. It is the node's key in the radix tree. */
  readonly master: StreamId
  readonly masterFields: readonly string[]
  items: StreamItem[]
  deleted: number
  /** The ID of the node's last entry, deleted or not. */
  last: StreamId
  /** Size without the two counters at the head of the node. */
  bytes: number
}

export interface NodeLimits {
  readonly bytes: number
  readonly entries: number
}

export function appendItem(nodes: StreamNode[], item: StreamItem, limits: NodeLimits): void {
  let node = nodes.at(-1)
  if (node !== undefined && isFull(node, item, limits)) node = undefined
  if (node === undefined) {
    const masterFields = item.fields.filter((_, at) => at % 2 === 0)
    const bytes = emptyListpackBytes + sum([BigInt(masterFields.length), ...masterFields, 0n])
    node = { master: item.id, masterFields, items: [], deleted: 0, last: item.id, bytes }
    nodes.push(node)
  }
  node.bytes += itemBytes(node, item)
  node.last = item.id
  node.items.push(item)
}

function isFull(node: StreamNode, item: StreamItem, limits: NodeLimits): boolean {
  const live = BigInt(node.items.length)
  const used = node.bytes + listpackBytes(live) + listpackBytes(BigInt(node.deleted))
  const added = item.fields.reduce((total, { length }) => total + length, 0)
  if (used + added >= (limits.bytes === 0 ? 1024 ** 3 : limits.bytes)) return true
  return limits.entries !== 0 && node.items.length + node.deleted >= limits.entries
}

function itemBytes({ master, masterFields }: StreamNode, { id, fields }: StreamItem): number {
  const names = fields.filter((_, at) => at % 2 === 0)
  const same = names.length === masterFields.length && names.every((name, at) => name === masterFields[at])
  const values = fields.filter((_, at) => at % 2 === 1)
  const count = BigInt(names.length)
  const head = [same ? 2n : 0n, msOf(id) - msOf(master), BigInt.asIntN(64, seqOf(id) - seqOf(master))]
  return same ? sum([...head, ...values, count + 3n]) : sum([...head, count, ...fields, 2n * count + 4n])
}

function sum(values: readonly (string | bigint)[]): number {
  return values.reduce<number>((total, value) => total + listpackBytes(value), 0)
}

/** The number of nodes in a radix tree with the keys of these stream nodes. */
export function radixTreeNodes(nodes: readonly StreamNode[]): number {
  if (nodes.length === 0) return 1
  return countTree(
    nodes.map(({ master }) => master.toString(16).padStart(32, '0').match(/../g)!),
    0,
  )
}

function countTree(keys: readonly (readonly string[])[], depth: number): number {
  if (depth === 16) return 1
  let shared = depth
  while (shared < 16 && keys.every((key) => key[shared] === keys[0]![shared])) shared++
  if (shared > depth) return 1 + countTree(keys, shared)
  const children = new Map<string, (readonly string[])[]>()
  for (const key of keys) children.set(key[depth]!, [...(children.get(key[depth]!) ?? []), key])
  return 1 + [...children.values()].reduce((total, child) => total + countTree(child, depth + 1), 0)
}
