import { isPublished } from '../../run/published.ts'

/** Bytes that a client receives together. */
export interface Read {
  readonly bytes: Buffer
  /**
   * The message that decides when the client may have the bytes: the reply, or the first
   * announcement.
   */
  readonly decides: Buffer
}

/** True for a published message or a notice about a changed key. */
export const isAnnounced = (reply: Buffer): boolean => isPublished(reply.toString('latin1', 0, 100))

/**
 * Splits a server's write into one chunk for each reply, together with the announcements next to
 * it. As in the simulator (`Connection.announce`), a caching client is notified of a changed key
 * before it continues with the reply.
 */
export function readsOf(written: readonly Buffer[]): Read[] {
  const reads: { parts: Buffer[]; reply: Buffer | null }[] = []
  for (const one of written) {
    const last = reads.at(-1)
    const reply = isAnnounced(one) ? null : one
    if (last === undefined || (reply !== null && last.reply !== null)) reads.push({ parts: [one], reply })
    else {
      last.parts.push(one)
      last.reply ??= reply
    }
  }
  return reads.map(({ parts, reply }) => ({ bytes: Buffer.concat(parts), decides: reply ?? parts[0]! }))
}
