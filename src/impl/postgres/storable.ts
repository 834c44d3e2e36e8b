import type { Kept } from '../records.ts'

/** What others say, without what no text of PostgreSQL can have. */
export const storable = (text: string): string => text.replaceAll('\0', '\uFFFD')

/** A result is JSON, which has none of it; why one is not kept is what others say. */
export const storableKept = (kept: Kept): Kept =>
  kept.unkept === undefined ? kept : { ...kept, unkept: storable(kept.unkept) }
