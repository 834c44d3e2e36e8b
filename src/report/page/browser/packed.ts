/**
 * Decodes pictures of the page: folded JSON (`columns.ts`), deflated, in Base64
 * (`src/report/page/picture.ts`).
 */
import { inflateSync, strFromU8 } from 'fflate'
import type { Picture } from '../../../contract/results/timeline.ts'
import { unfolded } from './columns.ts'

/**
 * The text of the first picture. Other pictures repeat much of it, so they use it as a dictionary
 * for compression.
 */
export function inflated(data: string): Uint8Array {
  return inflateSync(bytesOf(data))
}

/** Decodes a picture. `first`: the text of the first picture; null for the first picture itself. */
export function unpacked(data: string, first: Uint8Array | null): Picture {
  const text = first === null ? inflated(data) : inflateSync(bytesOf(data), { dictionary: dictionaryOf(first) })
  return unfolded(JSON.parse(strFromU8(text))) as Picture
}

/** The part of the text that Deflate can use as a dictionary: at most the last 32 KiB. */
export const dictionaryOf = (first: Uint8Array): Uint8Array => first.subarray(-32_768)

const bytesOf = (data: string): Uint8Array => Uint8Array.from(atob(data), (character) => character.charCodeAt(0))
