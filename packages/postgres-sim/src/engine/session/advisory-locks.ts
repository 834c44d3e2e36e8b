import type { Backend } from '../backend.ts'
import type { LockTag } from '../locks/lock-tag.ts'
import type { Mode } from '../locks/modes.ts'
import type { Running } from '../run.ts'

/**
 * The session-level advisory locks of a session. Transaction-level advisory locks are kept with the
 * other locks of the transaction.
 */
export class AdvisoryLocks {
  private readonly backend: Backend
  private held: { tag: LockTag; mode: Mode }[] = []

  constructor(backend: Backend) {
    this.backend = backend
  }

  /** True if the session holds at least one session-level advisory lock. */
  get some(): boolean {
    return this.held.length > 0
  }

  *lock(tag: LockTag, mode: Mode, session: boolean): Running<void> {
    yield* this.backend.lock(tag, mode, session ? 'transient' : 'transaction')
    if (session) this.held.push({ tag, mode })
  }

  tryLock(tag: LockTag, mode: Mode, session: boolean): boolean {
    if (!this.backend.tryLock(tag, mode, session ? 'transient' : 'transaction')) return false
    if (session) this.held.push({ tag, mode })
    return true
  }

  /** Returns false and sends a warning if the session does not hold the lock. */
  unlock(tag: LockTag, mode: Mode): boolean {
    const at = this.held.findIndex((one) => one.tag.key === tag.key && one.mode === mode)
    if (at < 0) {
      const name = mode === 7 ? 'ExclusiveLock' : 'ShareLock'
      this.backend.notice({ severity: 'WARNING', code: '01000', message: `you don't own a lock of type ${name}` })
      return false
    }
    this.held.splice(at, 1)
    this.backend.unlock(tag, mode)
    return true
  }

  unlockAll(): void {
    for (const { tag, mode } of this.held.splice(0)) this.backend.unlock(tag, mode)
  }
}
