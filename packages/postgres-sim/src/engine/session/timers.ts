import type { Backend } from '../backend.ts'
import { SqlError } from '../sql-error.ts'

const nothing = (): void => {}

const idleInTransaction = {
  name: 'idle_in_transaction_session_timeout',
  code: '25P03',
  message: 'terminating connection due to idle-in-transaction timeout',
}
const idleSession = {
  name: 'idle_session_timeout',
  code: '57P05',
  message: 'terminating connection due to idle-session timeout',
}

/** The timeouts of a session. */
export class Timers {
  private readonly backend: Backend
  private readonly running = new Set<() => void>()
  private stopIdle: (() => void) | null = null

  constructor(backend: Backend) {
    this.backend = backend
  }

  private start(name: string, work: () => void): () => void {
    const limit = this.backend.settings.milliseconds(name)
    if (limit === 0) return nothing
    const cancel = this.backend.database.host.after(limit * 1000, () => {
      this.running.delete(cancel)
      work()
    })
    this.running.add(cancel)
    return () => {
      this.running.delete(cancel)
      cancel()
    }
  }

  startStatement(): () => void {
    return this.start('statement_timeout', () => {
      this.backend.interrupt(new SqlError('57014', 'canceling statement due to statement timeout'))
    })
  }

  /** Starts deadlock_timeout and lock_timeout when the session starts to wait for a lock. */
  startWait(checkDeadlock: () => void): () => void {
    const stopCheck = this.start('deadlock_timeout', checkDeadlock)
    const stopWait = this.start('lock_timeout', () => {
      this.backend.interrupt(new SqlError('55P03', 'canceling statement due to lock timeout'))
    })
    return () => {
      stopCheck()
      stopWait()
    }
  }

  /** Starts the idle timeout when the session starts to wait for its client. */
  idle(inTransaction: boolean): void {
    this.busy()
    const { name, code, message } = inTransaction ? idleInTransaction : idleSession
    this.stopIdle = this.start(name, () => this.backend.terminate(new SqlError(code, message, { severity: 'FATAL' })))
  }

  busy(): void {
    this.stopIdle?.()
    this.stopIdle = null
  }

  stop(): void {
    for (const cancel of this.running) cancel()
    this.running.clear()
  }
}
