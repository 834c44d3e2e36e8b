import { ErrorReply, type Reply } from './resp/reply.ts'

/**
 * Number of error replies by their first word, for INFO errorstats. Source: afterErrorReply of
 * Redis 7.0.
 */
export class ErrorCounts {
  private readonly counts = new Map<string, number>()
  total = 0

  /**
   * Counts the errors in the reply of one command. A reply of EXEC or a script may contain several.
   */
  add(reply: Reply): void {
    if (reply instanceof ErrorReply) {
      if (reply.counted) return
      const end = reply.message.slice(0, 31).indexOf(' ')
      const name = end === -1 ? 'ERR' : reply.message.slice(0, end)
      this.counts.set(name, (this.counts.get(name) ?? 0) + 1)
      this.total++
    } else if (Array.isArray(reply))
      for (const item of reply as readonly Reply[]) if (typeof item === 'object') this.add(item)
  }

  reset(): void {
    this.counts.clear()
    this.total = 0
  }

  lines(): (readonly [string, string])[] {
    return [...this.counts]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, count]) => [`errorstat_${name}`, `count=${count}`])
  }
}
