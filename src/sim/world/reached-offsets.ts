import type { RedisServer } from 'redis-sim'

/**
 * How far each server of a deployment has come in each history of the data. WAIT answers by what
 * replicas have said; this is what they have done, by which its answers are checked.
 */
export class ReachedOffsets<S extends { readonly server: RedisServer }> {
  readonly #reached = new Map<S, Map<string, number>>()

  add(node: S): void {
    this.#reached.set(node, new Map())
  }

  /** Notes where it stands now: before its process dies, or takes over other data. */
  note(node: S): void {
    const { replication, replicationOffset } = node.server
    this.#raise(node, replication.id, replicationOffset)
    // A promoted server goes on under another name from there.
    this.#raise(node, replication.id2, replication.secondOffset - 1)
  }

  #raise(node: S, id: string, offset: number): void {
    const reached = this.#reached.get(node)!
    if (offset > (reached.get(id) ?? -1)) reached.set(id, offset)
  }

  /** How many others have, or once had, what the primary had written up to that offset. */
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
