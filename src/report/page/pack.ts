/**
 * Compresses a part of a page in the same way as a picture, if the page would otherwise be too
 * long. A script unpacks the part after the first view is displayed. Without scripts, a sentence is
 * shown instead.
 */
import { deflateSync, strToU8 } from 'fflate'
import { inPieces } from './browser/pieces.ts'
import { Html, html } from './html.ts'

export type Pack = (what: string, part: Html) => Html

export const asItIs: Pack = (_, part) => part

/** `what`: names the content of the part in that sentence. */
export const packed: Pack = (what, part) => {
  const data = new Html(Buffer.from(deflateSync(strToU8(inPieces(part.text)), { level: 9 })).toString('base64'))
  return html`<div class="packed"><p class="lede">${what} are packed here, so that the page stays small: they show where scripts may run. <code>results.json</code> has them too.</p><script type="application/octet-stream">${data}</script></div>`
}
