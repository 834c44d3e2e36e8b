import { inflateSync, strFromU8 } from 'fflate'
import type { Picture } from '../../../contract/timeline.ts'

/** A picture as the page carries it: deflated JSON in Base64 (`src/report/page/picture.ts`). */
export function unpacked(text: string): Picture {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  return JSON.parse(strFromU8(inflateSync(bytes)))
}
