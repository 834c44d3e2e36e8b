import { invariantDocs } from '../check/docs.ts'

const remedies = new Map(Object.values(invariantDocs).flatMap((doc) => Object.entries(doc.remedies)))

/** What should have happened in place of a kind of violation: the moral of its story. Null for a kind that has none. */
export function remedyOf(kind: string): string | null {
  return remedies.get(kind) ?? remedies.get(kind.split(':', 1)[0]!) ?? null
}
