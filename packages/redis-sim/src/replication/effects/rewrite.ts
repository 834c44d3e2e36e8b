import type { Reply } from '../../resp/reply.ts'
import type { Session } from '../../session.ts'

/**
 * How a command that changed something is repeated elsewhere: one or several commands, or none of
 * its own.
 */
export type Rewrite = (session: Session, args: readonly string[], reply: Reply) => readonly (readonly string[])[]

/** By full name. */
export type Rewrites = { readonly [fullName: string]: Rewrite }

/** A key's deadline in milliseconds, as it is now; -1 for none. */
export function deadlineOf(session: Session, key: string): string {
  return String(session.database.entries.get(key)?.expireAtMs ?? -1)
}
