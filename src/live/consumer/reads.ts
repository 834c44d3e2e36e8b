import { isPublished } from '../../run/published.ts'

/** What a client gets at once of what the server has written. */
export interface Read {
  readonly bytes: Buffer
  /** The reply in it, or the first of what was announced: when the client may have it. */
  readonly decides: Buffer
}

/** A published message, or that a key has changed, as bytes of the server. */
export const isAnnounced = (reply: Buffer): boolean => isPublished(reply.toString('latin1', 0, 100))

/**
 * Of what the server wrote at once, each reply by itself, with what is announced beside it, as in
 * the simulator (`Connection.announce`): a client that caches hears that a key has changed before
 * it goes on with the reply.
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
