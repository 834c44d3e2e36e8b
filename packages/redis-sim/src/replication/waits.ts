import type { Reply } from '../resp/reply.ts'
import type { RedisServer } from '../server.ts'

interface Wait {
  readonly offset: number
  readonly wanted: number
  readonly answer: (reply: Reply) => void
}

/**
 * The clients that wait in WAIT, looked at whenever a replica says how far it is. Source:
 * replication.c of Redis 7.0.
 */
export class Waits {
  private waiting: Wait[] = []

  constructor(private readonly server: RedisServer) {}

  /** Replicas are asked at once; answers what ends the waiting. */
  begin(wait: Wait): () => void {
    // The newest is answered first, as in real Redis.
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
