/**
 * Unpacks the packed parts of a page (`src/report/page/pack.ts`) after the first view is displayed.
 * Each part is a separate task, so that the page stays responsive. Afterwards, the script
 * dispatches the event `unpacked`.
 */
import { strFromU8 } from 'fflate'
import { inflated } from './packed.ts'
import { ofPieces } from './pieces.ts'

const parts = [...document.querySelectorAll('.packed')]

function placeNext(): void {
  const part = parts.shift()
  if (part === undefined) return
  part.outerHTML = ofPieces(strFromU8(inflated(part.querySelector('script')!.textContent!)))
  dispatchEvent(new Event('unpacked'))
  setTimeout(placeNext)
}

requestAnimationFrame(() => setTimeout(placeNext))
