/** ACL LOG: denied actions of users, newest first. Source: acl.c of Redis 7.0. */

import { formatDouble } from '../numbers/double.ts'
import { DoubleReply, MapReply, type Reply } from '../resp/reply.ts'

export interface AclEvent {
  readonly reason: 'command' | 'key' | 'channel' | 'auth'
  readonly context: 'toplevel' | 'multi' | 'lua'
  /** The command, the key, the channel, or the command of the failed login. */
  readonly object: string
  readonly user: string
}

interface Entry extends AclEvent {
  count: number
  timeMs: number
  client: string
}

/**
 * An event is counted in an equal entry if that entry is less than a minute old and among the
 * newest ten.
 */
const alikeMs = 60_000
const lookedAt = 10

export class AclLog {
  private entries: Entry[] = []

  add(event: AclEvent, client: string, nowMs: number, mostEntries: number): void {
    const at = this.entries
      .slice(0, lookedAt)
      .findIndex(
        (entry) =>
          entry.reason === event.reason &&
          entry.context === event.context &&
          entry.object === event.object &&
          entry.user === event.user &&
          Math.abs(nowMs - entry.timeMs) <= alikeMs,
      )
    const [alike] = at === -1 ? [] : this.entries.splice(at, 1)
    this.entries.unshift({ ...event, count: (alike?.count ?? 0) + 1, timeMs: nowMs, client })
    if (alike === undefined) this.entries.length = Math.min(this.entries.length, mostEntries)
  }

  reset(): void {
    this.entries = []
  }

  latest(count: number, nowMs: number): Reply[] {
    return this.entries.slice(0, count).map(({ count: times, reason, context, object, user, timeMs, client }) => {
      const age = (nowMs - timeMs) / 1000
      return new MapReply([
        ...['count', times, 'reason', reason, 'context', context, 'object', object, 'username', user],
        ...['age-seconds', new DoubleReply(age, formatDouble(age)), 'client-info', client],
      ])
    })
  }
}
