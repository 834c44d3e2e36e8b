import type { ClusterNode } from './cluster-node.ts'
import { slotCount } from './key-slot.ts'
import type { SlotRange } from './nodes-file.ts'

const nobody = 255

interface OwnedRange {
  readonly from: number
  readonly to: number
  readonly node: ClusterNode
}

/** Slot ownership, as one node sees it. */
export class SlotMap {
  private readonly owners = new Uint8Array(slotCount).fill(nobody)
  /** Number of slots without an owner. */
  unowned = slotCount
  /**
   * Caches of the ranges and of each node's ranges as text; cleared when a slot changes its owner.
   */
  private inRanges: readonly OwnedRange[] | null = null
  private readonly texts = new Map<ClusterNode, string>()

  /** `nodes` holds each node at its `index`; at most 255 nodes. */
  constructor(private readonly nodes: readonly ClusterNode[]) {}

  owner(slot: number): ClusterNode | null {
    return this.nodes[this.owners[slot]!] ?? null
  }

  /** Assigns initial slots, which must not have an owner. */
  giveFirst([from, to]: SlotRange, node: ClusterNode): void {
    this.owners.fill(node.index, from, to + 1)
    node.slotCount += to - from + 1
    this.unowned -= to - from + 1
    this.forget()
  }

  give(slot: number, node: ClusterNode): void {
    const before = this.owner(slot)
    if (before === node) return
    if (before === null) this.unowned--
    else before.slotCount--
    node.slotCount++
    this.owners[slot] = node.index
    this.forget()
  }

  private forget(): void {
    if (this.inRanges === null && this.texts.size === 0) return
    this.inRanges = null
    this.texts.clear()
  }

  /** Removes the node's ownership of all its slots. */
  takeAll(node: ClusterNode): void {
    if (node.slotCount === 0) return
    for (let slot = 0; slot < slotCount; slot++) if (this.owners[slot] === node.index) this.owners[slot] = nobody
    this.unowned += node.slotCount
    node.slotCount = 0
    this.forget()
  }

  /** Owned ranges in the order of slots. */
  ranges(): readonly OwnedRange[] {
    return (this.inRanges ??= this.findRanges())
  }

  private findRanges(): readonly OwnedRange[] {
    const found: OwnedRange[] = []
    for (let from = 0; from < slotCount; ) {
      let to = from
      while (to + 1 < slotCount && this.owners[to + 1] === this.owners[from]) to++
      const node = this.owner(from)
      if (node !== null) found.push({ from, to, node })
      from = to + 1
    }
    return found
  }

  rangesOf(node: ClusterNode): SlotRange[] {
    if (node.slotCount === 0) return []
    return this.ranges().flatMap((range) => (range.node === node ? [[range.from, range.to] as const] : []))
  }

  /** Format: `0-5460,7000`; empty if the node owns no slots. */
  text(node: ClusterNode): string {
    let text = this.texts.get(node)
    if (text === undefined) {
      text = this.rangesOf(node)
        .map(([from, to]) => (from === to ? String(from) : `${from}-${to}`))
        .join(',')
      this.texts.set(node, text)
    }
    return text
  }
}

/** All slots in a text of the format that `text` returns. */
export function* slotsIn(text: string): Generator<number> {
  for (const range of text === '' ? [] : text.split(',')) {
    const [from, to = from] = range.split('-').map(Number) as [number, number?]
    for (let slot = from; slot <= to!; slot++) yield slot
  }
}
