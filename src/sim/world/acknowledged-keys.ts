import type { ClientSide } from 'virtual-node/network'

/**
 * Of which keys some client knows that their last write was executed. Replies come in the order of
 * execution, so that each reply that arrives tells of the oldest write that its connection waits
 * for.
 */
export class AcknowledgedKeys {
  readonly #keys = new Set<string>()
  readonly #awaited = new WeakMap<ClientSide, (readonly string[])[]>()

  /** A command of that connection was executed, and wrote those keys. */
  executed(connection: ClientSide, keys: readonly string[]): void {
    for (const key of keys) this.#keys.delete(key)
    const awaited = this.#awaited.get(connection)
    if (awaited === undefined) this.#awaited.set(connection, [keys])
    else awaited.push(keys)
  }

  /** Its client has the reply to the oldest. */
  reported(connection: ClientSide): void {
    for (const key of this.#awaited.get(connection)?.shift() ?? []) this.#keys.add(key)
  }

  has(key: string): boolean {
    return this.#keys.has(key)
  }
}
