import type { Channel } from './channel.ts'

/**
 * The connections to one instance and what they tell of its health: one for commands, one for
 * messages (none to Sentinels). Sentinels that watch several primaries together share the link
 * between them.
 */
export class Link {
  /** Instances that use it. */
  users = 1
  /**
   * At least one of the connections has to be dialled. A connection that does not open yet counts
   * as connected.
   */
  disconnected = true
  /** Commands that wait for their reply. */
  pending = 0
  commands: Channel | null = null
  messages: Channel | null = null
  commandsSinceMs = 0
  messagesSinceMs = 0
  lastMessageMs = 0
  lastReconnectMs = 0
  /**
   * When the first PING that is still unanswered was sent; 0: all are. "Now" at first, so that a
   * dead one is noticed.
   */
  unansweredPingMs: number
  lastPingMs = 0
  /** The last reply to PING that says that it is alive. */
  lastAliveMs: number
  /** The last reply to PING, whatever it said. */
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

  /** One of its users is gone. */
  release(): void {
    if (--this.users === 0) this.closeBoth()
  }
}
