/**
 * The ordered stream of what commands did: what replicas and the append-only file are given. A
 * command is noted when it is over, together with what it did beside (expired keys); all of one
 * top-level command goes out at its end, between MULTI and EXEC where there is more than one.
 * Source: call and propagatePendingCommands of Redis 7.0.
 *
 * While nobody listens, `active` is false, and a command costs nothing but the look at it.
 */
export const forFile = 1
export const forReplicas = 2
export const forBoth = forFile | forReplicas

/** One command to be repeated elsewhere. */
interface Effect {
  readonly database: number
  readonly words: readonly string[]
  readonly targets: number
}

export type Listener = (database: number, words: readonly string[]) => void

export class Propagation {
  /** Somebody listens. */
  active = false
  /** Called when all of a command has gone out. */
  flushed: (() => void) | null = null
  private pending: Effect[] = []
  private file: Listener | null = null
  private replicas: Listener | null = null

  /** Null: nobody there. */
  listen(who: 'file' | 'replicas', listener: Listener | null): void {
    this[who] = listener
    this.active = this.file !== null || this.replicas !== null
  }

  /** To go out when the command at hand is over. */
  also(database: number, words: readonly string[], targets = forBoth): void {
    const wanted = targets & ((this.file === null ? 0 : forFile) | (this.replicas === null ? 0 : forReplicas))
    if (wanted !== 0) this.pending.push({ database, words, targets: wanted })
  }

  /**
   * `wrapped: false` for what happens to keys one by one, whatever caused it: expiry, eviction,
   * SCAN.
   */
  flush(wrapped = true): void {
    const { pending } = this
    if (pending.length === 0) return
    this.pending = []
    const transaction = wrapped && pending.length > 1
    // MULTI goes to the database of the first command and EXEC to that of the last: neither brings
    // a SELECT of its own.
    if (transaction) this.send(pending[0]!.database, ['MULTI'], forBoth)
    for (const { database, words, targets } of pending) this.send(database, words, targets)
    if (transaction) this.send(pending.at(-1)!.database, ['EXEC'], forBoth)
    this.flushed?.()
  }

  private send(database: number, words: readonly string[], targets: number): void {
    if ((targets & forFile) !== 0) this.file?.(database, words)
    if ((targets & forReplicas) !== 0) this.replicas?.(database, words)
  }
}
