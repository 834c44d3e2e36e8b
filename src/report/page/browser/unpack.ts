/** Puts the parts of a page in place that came packed (`src/report/page/pack.ts`), before any other script looks at it. */
import { strFromU8 } from 'fflate'
import { inflated } from './packed.ts'

for (const part of document.querySelectorAll('.packed')) {
  const data = part.querySelector('script')?.textContent
  if (data) part.outerHTML = strFromU8(inflated(data))
}
