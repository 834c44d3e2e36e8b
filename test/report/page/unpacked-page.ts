import { strFromU8 } from 'fflate'
import { inflated } from '../../../src/report/page/browser/packed.ts'
import { ofPieces } from '../../../src/report/page/browser/pieces.ts'

const part = /<div class="packed">.*?<script type="application\/octet-stream">([^<]*)<\/script><\/div>/gs

/** A page with its packed parts in place, as its script would put them. */
export const unpackedPage = (text: string): string =>
  text.replace(part, (_, data) => ofPieces(strFromU8(inflated(data))))
