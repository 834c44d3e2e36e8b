import type { Channel } from './channel.ts'

/**
 * The connections to one instance and their health: one connection for commands, and one for
 * messages (except to Sentinels). If another Sentinel watches several primaries, all of them share
 * the link to that Sentinel.
 */
export class Link {
  /** Number of instances that use the link. */
  users = 1
  /**
   * True if at least one connection must be opened. A connection that is being opened counts as
   * connected.
   */
  disconnected = true
  /** Number of commands without a reply. */
  pending = 0
  commands: Channel | null = null
  messages: Channel | null = null
  commandsSinceMs = 0
  messagesSinceMs = 0
  lastMessageMs = 0
  lastReconnectMs = 0
  /**
   * Send time of the first unanswered PING; 0 if every PING is answered. The initial value is the
   * current time, so that an instance that is dead from the beginning is detected.
   */
  unansweredPingMs: number
  lastPingMs = 0
  /** Time of the last reply to PING that proves that the instance is alive. */
  lastAliveMs: number
  /** Time of the last reply to PING of any kind. */
  lastPongMs: number

  constructor(nowMs: number) {
    this.unansweredPingMs = this.lastAliveMs = this.lastPongMs = nowMs
  }

  closeCommands(): void {
    if (this.commands === null) return
    this.commands.close()
    this.commands = null
    this.pending = 0
    this.disconnected = true
  }

  closeMessages(): void {
    if (this.messages === null) return
    this.messages.close()
    this.messages = null
    this.disconnected = true
  }

  closeBoth(): void {
    this.closeCommands()
    this.closeMessages()
  }

  /** Called when an instance no longer uses the link. */
  release(): void {
    if (--this.users === 0) this.closeBoth()
  }
}
