/**
 * Puts the parts of a page in place that came packed (`src/report/page/pack.ts`): after the first
 * view is there, each by itself, so that the page answers in between. Who has to do with what they
 * bring hears of it.
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
