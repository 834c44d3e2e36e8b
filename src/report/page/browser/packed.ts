/**
 * Pictures as the page carries them: folded JSON (`columns.ts`), deflated, in Base64
 * (`src/report/page/picture.ts`).
 */
import { inflateSync, strFromU8 } from 'fflate'
import type { Picture } from '../../../contract/results/timeline.ts'
import { unfolded } from './columns.ts'

/**
 * The text of the first picture, whose words the others repeat: they are deflated with it as their
 * dictionary.
 */
export function inflated(data: string): Uint8Array {
  return inflateSync(bytesOf(data))
}

/** `first`: null for the first picture itself. */
export function unpacked(data: string, first: Uint8Array | null): Picture {
  const text = first === null ? inflated(data) : inflateSync(bytesOf(data), { dictionary: dictionaryOf(first) })
  return unfolded(JSON.parse(strFromU8(text))) as Picture
}

/** Deflate looks no further back than 32 kB. */
export const dictionaryOf = (first: Uint8Array): Uint8Array => first.subarray(-32_768)

const bytesOf = (data: string): Uint8Array => Uint8Array.from(atob(data), (character) => character.charCodeAt(0))
