/** Pictures of findings, as the page carries them: deflated in pure JavaScript, so that the same run gives the same bytes. */
import { type DeflateOptions, deflateSync, strToU8 } from 'fflate'
import { canonicalJson } from '../../contract/json.ts'
import type { Picture } from '../../contract/timeline.ts'
import type { Break } from '../break.ts'
import { breakAnchor } from './anchor.ts'
import { folded } from './browser/columns.ts'
import { dictionaryOf } from './browser/packed.ts'
import { Html, html } from './html.ts'

export type Pictures = (one: Break) => Html | null

/**
 * Those of the findings in this order, as far as there is `room`: characters of all together. Those for which there is none
 * have their story in words.
 */
export function picturesIn(pictures: readonly Picture[], order: readonly Break[], room: number): Pictures {
  const packed = new Map<string, Html>()
  let first: Uint8Array | null = null
  let left = room
  for (const one of order) {
    const picture = pictures.find((candidate) => isOf(candidate, one))
    if (picture === undefined) continue
    const element = pictureElement(picture, first)
    if (element.text.length > left) continue
    first ??= textOf(picture)
    left -= element.text.length
    packed.set(nameOf(one), element)
  }
  return (one) => packed.get(nameOf(one)) ?? null
}

/** `first`: the text of the first picture of the page; null for that one itself. */
export function pictureElement(picture: Picture, first: Uint8Array | null): Html {
  const how: DeflateOptions = { level: 9, ...(first === null ? {} : { dictionary: dictionaryOf(first) }) }
  const data = new Html(Buffer.from(deflateSync(textOf(picture), how)).toString('base64'))
  return html`<div class="picture"><script type="application/octet-stream">${data}</script></div>`
}

const textOf = (picture: Picture): Uint8Array => strToU8(canonicalJson(folded(picture)))

const isOf = ({ implementation, sink, finding, shows }: Picture, one: Break): boolean =>
  finding === one.id &&
  (finding !== null || (shows?.invariant === one.cause.invariant && shows.kind === one.cause.kind)) &&
  implementation === one.implementation &&
  sink === one.sink

/** The page's name of what broke. */
const nameOf = breakAnchor
