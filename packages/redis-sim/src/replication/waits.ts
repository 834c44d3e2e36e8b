import type { Reply } from '../resp/reply.ts'
import type { RedisServer } from '../server.ts'

interface Wait {
  readonly offset: number
  readonly wanted: number
  readonly answer: (reply: Reply) => void
}

/**
 * The clients blocked in WAIT, which are checked at each acknowledgment of a replica. Source:
 * replication.c of Redis 7.0.
 */
export class Waits {
  private waiting: Wait[] = []

  constructor(private readonly server: RedisServer) {}

  /** Asks the replicas for acknowledgments. Returns the function that ends the wait. */
  begin(wait: Wait): () => void {
    // Real Redis serves the newest client first.
    this.waiting.unshift(wait)
    this.server.replication.askForAcknowledgements()
    return () => {
      this.waiting = this.waiting.filter((other) => other !== wait)
    }
  }

  check(): void {
    if (this.waiting.length === 0) return
    for (const { offset, wanted, answer } of this.waiting) {
      const count = this.server.replication.replicas.countAcknowledged(offset)
      if (count >= wanted) answer(count)
    }
  }
}
