import type { RedisServer } from 'redis-sim'

/**
 * The offset that each server of a deployment has reached in each replication history. WAIT counts
 * the offsets that replicas have acknowledged. This class checks the replies of WAIT against the
 * offsets that replicas have reached.
 */
export class ReachedOffsets<S extends { readonly server: RedisServer }> {
  readonly #reached = new Map<S, Map<string, number>>()

  add(node: S): void {
    this.#reached.set(node, new Map())
  }

  /**
   * Records the current offset of the server. Must be called before its process dies or its data
   * are replaced.
   */
  note(node: S): void {
    const { replication, replicationOffset } = node.server
    this.#raise(node, replication.id, replicationOffset)
    // A promoted server continues from this offset under another replication id.
    this.#raise(node, replication.id2, replication.secondOffset - 1)
  }

  #raise(node: S, id: string, offset: number): void {
    const reached = this.#reached.get(node)!
    if (offset > (reached.get(id) ?? -1)) reached.set(id, offset)
  }

  /** The number of other servers that have, or once had, the primary's writes up to the offset. */
  countOthers(primary: S, offset: number): number {
    const { id } = primary.server.replication
    let count = 0
    for (const [node, reached] of this.#reached) {
      if (node === primary) continue
      this.note(node)
      if ((reached.get(id) ?? -1) >= offset) count++
    }
    return count
  }

  dispose(): void {
    this.#reached.clear()
  }
}
