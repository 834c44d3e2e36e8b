/**
 * Collects the effects of commands in order, for replicas and the append-only file. A command is
 * added when it ends, after its side effects (expired keys). When a top-level command ends, all its
 * effects are sent, in MULTI and EXEC if there are several. Source: call and
 * propagatePendingCommands of Redis 7.0.
 *
 * Without listeners, `active` is false, and the check of `active` is the only cost.
 */
export const forFile = 1
export const forReplicas = 2
export const forBoth = forFile | forReplicas

/** One command to propagate. */
interface Effect {
  readonly database: number
  readonly words: readonly string[]
  readonly targets: number
}

export type Listener = (database: number, words: readonly string[]) => void

export class Propagation {
  /** True if there is a listener. */
  active = false
  /** Called after all effects of a command were sent. */
  flushed: (() => void) | null = null
  private pending: Effect[] = []
  private file: Listener | null = null
  private replicas: Listener | null = null

  /** Sets the listener for one target; null removes it. */
  listen(who: 'file' | 'replicas', listener: Listener | null): void {
    this[who] = listener
    this.active = this.file !== null || this.replicas !== null
  }

  /** Adds an effect, which is sent when the current command ends. */
  also(database: number, words: readonly string[], targets = forBoth): void {
    const wanted = targets & ((this.file === null ? 0 : forFile) | (this.replicas === null ? 0 : forReplicas))
    if (wanted !== 0) this.pending.push({ database, words, targets: wanted })
  }

  /**
   * Sends all added effects. `wrapped` is false for independent effects on single keys: expiry,
   * eviction, SCAN.
   */
  flush(wrapped = true): void {
    const { pending } = this
    if (pending.length === 0) return
    this.pending = []
    const transaction = wrapped && pending.length > 1
    // MULTI uses the database of the first command, and EXEC the database of the last, so neither
    // adds a SELECT.
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
