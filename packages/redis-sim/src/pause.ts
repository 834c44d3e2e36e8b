/** CLIENT PAUSE: all commands, or all writes, wait until the pause expires or CLIENT UNPAUSE. */
import type { Command } from './command.ts'
import type { RedisConnection } from './connection.ts'
import { mayChangeData } from './degraded-state.ts'
import type { RedisServer } from './server.ts'
import type { Session } from './session.ts'

export class Pause {
  private what: 'nothing' | 'write' | 'all' = 'nothing'
  private endMs = 0
  private waiting: RedisConnection[] = []
  private cancel: () => void = () => {}

  constructor(private readonly server: RedisServer) {}

  get isOn(): boolean {
    return this.what !== 'nothing'
  }

  /** A second pause extends or widens the first one. */
  begin(what: 'write' | 'all', forMs: number): void {
    const { server } = this
    if (this.what !== 'all') this.what = what
    this.endMs = Math.max(this.endMs, server.keyspace.state.nowMs + forMs)
    this.cancel()
    const leftMs = this.endMs - server.keyspace.state.nowMs
    this.cancel = server.after(leftMs * 1000, () => {
      this.end()
      server.stepUnblocked()
    })
    server.chooseExpiry()
  }

  end(): void {
    if (!this.isOn) return
    this.cancel()
    this.what = 'nothing'
    this.endMs = 0
    this.server.chooseExpiry()
    const waiting = this.waiting
    this.waiting = []
    for (const connection of waiting) connection.resume()
  }

  /** True if the command has to wait. */
  holds(session: Session, command: Command, args: readonly string[]): boolean {
    if (session.obeyed || session.replica !== null) return false
    return this.what === 'all' || (this.what === 'write' && mayChangeData(session, command, args))
  }

  add(connection: RedisConnection): void {
    this.waiting.push(connection)
  }
}
