import type { ClientSide } from 'virtual-node/network'

/**
 * The keys whose last write is acknowledged: its client has received the reply. Replies arrive in
 * the order of execution, so each reply acknowledges the oldest unacknowledged write of its
 * connection.
 */
export class AcknowledgedKeys {
  readonly #keys = new Set<string>()
  readonly #awaited = new WeakMap<ClientSide, (readonly string[])[]>()

  /** A command of the connection was executed and wrote the keys. */
  executed(connection: ClientSide, keys: readonly string[]): void {
    for (const key of keys) this.#keys.delete(key)
    const awaited = this.#awaited.get(connection)
    if (awaited === undefined) this.#awaited.set(connection, [keys])
    else awaited.push(keys)
  }

  /** The client received the reply to its oldest write. */
  reported(connection: ClientSide): void {
    for (const key of this.#awaited.get(connection)?.shift() ?? []) this.#keys.add(key)
  }

  has(key: string): boolean {
    return this.#keys.has(key)
  }
}
