/**
 * Decodes pictures of the page: folded JSON (`columns.ts`), deflated, in Base64
 * (`src/report/page/picture.ts`).
 */
import { inflateSync, strFromU8 } from 'fflate'
import type { Picture } from '../../../contract/results/timeline.ts'
import { unfolded } from './columns.ts'

/**
 * The text of the first picture. Others repeat much of it, so it is their dictionary for
 * compression.
 */
export function inflated(data: string): Uint8Array {
  return inflateSync(bytesOf(data))
}

/** `first`: the text of the first picture; null to decode that one. */
export function unpacked(data: string, first: Uint8Array | null): Picture {
  const text = first === null ? inflated(data) : inflateSync(bytesOf(data), { dictionary: dictionaryOf(first) })
  return unfolded(JSON.parse(strFromU8(text))) as Picture
}

/** Deflate uses at most the last 32 kB of a dictionary. */
export const dictionaryOf = (first: Uint8Array): Uint8Array => first.subarray(-32_768)

const bytesOf = (data: string): Uint8Array => Uint8Array.from(atob(data), (character) => character.charCodeAt(0))
