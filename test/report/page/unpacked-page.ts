import { strFromU8 } from 'fflate'
import { inflated } from '../../../src/report/page/browser/packed.ts'

/** A page with its packed parts in place, as its script puts them there. */
export const unpackedPage = (text: string): string =>
  text.replace(
    /<div class="packed">.*?<script type="application\/octet-stream">([^<]*)<\/script><\/div>/gs,
    (_, data) => strFromU8(inflated(data)),
  )
