import type { Reply } from '../../resp/reply.ts'
import type { Session } from '../../session.ts'

/**
 * Rewrites a command that changed something to the commands to propagate: none, one, or several.
 */
export type Rewrite = (session: Session, args: readonly string[], reply: Reply) => readonly (readonly string[])[]

/** Rewrites by the full name of the command. */
export type Rewrites = { readonly [fullName: string]: Rewrite }

/** A key's current deadline in milliseconds; -1 for none. */
export function deadlineOf(session: Session, key: string): string {
  return String(session.database.entries.get(key)?.expireAtMs ?? -1)
}
