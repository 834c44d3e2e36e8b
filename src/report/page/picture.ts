/** Pictures of findings, as the page carries them: deflated in pure JavaScript, so that the same run gives the same bytes. */
import { type DeflateOptions, deflateSync, strToU8 } from 'fflate'
import { canonicalJson } from '../../contract/json.ts'
import type { Picture } from '../../contract/timeline.ts'
import type { Break } from '../break.ts'
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
    const json = strToU8(canonicalJson(folded(picture)))
    const how: DeflateOptions = { level: 9, ...(first === null ? {} : { dictionary: dictionaryOf(first) }) }
    const data = new Html(Buffer.from(deflateSync(json, how)).toString('base64'))
    const element = html`<div class="picture"><script type="application/octet-stream">${data}</script></div>`
    if (element.text.length > left) continue
    first ??= json
    left -= element.text.length
    packed.set(nameOf(one), element)
  }
  return (one) => packed.get(nameOf(one)) ?? null
}

const isOf = ({ implementation, sink, finding }: Picture, one: Break): boolean =>
  finding === one.id && implementation === one.implementation && sink === one.sink

const nameOf = ({ implementation, sink, id }: Break): string => `${implementation} ${sink} ${id}`
