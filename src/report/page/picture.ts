/**
 * Embeds pictures of findings in the page, compressed in pure JavaScript, so that the same run
 * gives the same bytes.
 */
import { type DeflateOptions, deflateSync, strToU8 } from 'fflate'
import { canonicalJson } from '../../contract/api/json.ts'
import type { Picture } from '../../contract/results/timeline.ts'
import type { Break } from '../break.ts'
import { breakAnchor } from './anchor.ts'
import { folded } from './browser/columns.ts'
import { dictionaryOf } from './browser/packed.ts'
import { Html, html } from './html.ts'

export type Pictures = (one: Break) => Html | null

/**
 * Pictures of findings as elements of a page. Each is packed only once, even if the layout is
 * computed several times.
 */
export class PackedPictures {
  readonly #elements = new Map<string, Html>()

  /**
   * Chooses pictures in the order of the findings while there is `room`, in characters for all of
   * them together. Findings without a picture show their story as text.
   */
  fitting(
    pictures: readonly Picture[],
    order: readonly Break[],
    room: number,
  ): { readonly of: Pictures; readonly isAll: boolean } {
    const shown = new Map<string, Html>()
    let first: { readonly name: string; readonly text: Uint8Array } | null = null
    let left = room
    let isAll = true
    for (const one of order) {
      const picture = pictures.find((candidate) => isOf(candidate, one))
      if (picture === undefined) continue
      const name = nameOf(one)
      const known = `${first?.name} ${name}`
      const element = this.#elements.get(known) ?? pictureElement(picture, first?.text ?? null)
      this.#elements.set(known, element)
      if (element.text.length > left) {
        isAll = false
        continue
      }
      first ??= { name, text: textOf(picture) }
      left -= element.text.length
      shown.set(name, element)
    }
    return { of: (one) => shown.get(nameOf(one)) ?? null, isAll }
  }
}

/**
 * The element of a picture. `first`: the text of the page's first picture, used as a dictionary;
 * null for the first picture itself.
 */
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

/** The anchor identifies a violation on the page. */
const nameOf = breakAnchor
