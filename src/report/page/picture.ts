/** Pictures of findings, as the page carries them: deflated in pure JavaScript, so that the same run gives the same bytes. */
import { deflateSync, strToU8 } from 'fflate'
import { canonicalJson } from '../../contract/json.ts'
import type { Picture } from '../../contract/timeline.ts'
import type { Break } from '../break.ts'
import { Html, html } from './html.ts'

/** Characters of all pictures of a page; those for which there is no room have their story in words. */
const most = 560_000

export type Pictures = (one: Break) => Html | null

/** Those of the findings in this order, as far as there is room. */
export function picturesIn(pictures: readonly Picture[], order: readonly Break[]): Pictures {
  const texts = new Map<string, string>()
  let left = most
  for (const one of order) {
    const picture = pictures.find((candidate) => isOf(candidate, one))
    if (picture === undefined) continue
    const text = Buffer.from(deflateSync(strToU8(canonicalJson(picture)), { level: 9 })).toString('base64')
    if (text.length > left) continue
    left -= text.length
    texts.set(nameOf(one), text)
  }
  return (one) => {
    const text = texts.get(nameOf(one))
    if (text === undefined) return null
    return html`<div class="picture"><script type="application/octet-stream">${new Html(text)}</script></div>`
  }
}

const isOf = ({ implementation, sink, finding }: Picture, one: Break): boolean =>
  finding === one.id && implementation === one.implementation && sink === one.sink

const nameOf = ({ implementation, sink, id }: Break): string => `${implementation} ${sink} ${id}`
