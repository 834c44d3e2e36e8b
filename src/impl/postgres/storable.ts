import type { Kept } from '../records.ts'

/** Text of other programs, with U+FFFD for the character that PostgreSQL cannot store. */
export const storable = (text: string): string => text.replaceAll('\0', '\uFFFD')

/** A result is JSON, which escapes that character; the reason in `unkept` may contain it. */
export const storableKept = (kept: Kept): Kept =>
  kept.unkept === undefined ? kept : { ...kept, unkept: storable(kept.unkept) }
