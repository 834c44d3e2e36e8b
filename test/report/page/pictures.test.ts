import { inflateSync, strFromU8 } from 'fflate'
import { describe, expect, it } from 'vitest'
import { page } from '../../../src/report/page/page.ts'
import { finding } from '../made-up-results.ts'
import { layer, longTimeline, pictured, pictureOf } from './made-up-pictures.ts'

const packed = (text: string) =>
  [...text.matchAll(/<div class="picture"><script type="application\/octet-stream">([^<]*)<\/script>/g)].map(
    ([, data]) => JSON.parse(strFromU8(inflateSync(Buffer.from(data!, 'base64')))),
  )

describe('pictures in the page', () => {
  it('are the timelines of its findings, each once, in the order in which they are told', () => {
    const { results, pictures } = pictured()
    expect(packed(page(results, pictures))).toEqual(pictures)
    expect(packed(page(results, [...pictures].reverse()))).toEqual(pictures)
  })

  it('give the same bytes for the same runs, and nothing that could end their element', () => {
    const nasty = '</script><img src=x onerror=alert(1)>'
    const timeline = { ...pictureOf('F1').timeline, title: nasty }
    const made = pictured(pictureOf('F1', timeline))
    const text = page(made.results, made.pictures)
    expect(page(made.results, made.pictures)).toBe(text)
    expect(text).not.toContain(nasty)
    expect(packed(text)[0].timeline.title).toBe(nasty)
    expect(text.match(/<\/script>/g)!.length).toBe(text.match(/<script[ >]/g)!.length)
  })

  it('bring no script where there are none, and fetch nothing where there are', () => {
    const { results, pictures } = pictured()
    expect(page(results).match(/<script/g)).toHaveLength(1)
    const fetched = /@import|url\((?!#)|\ssrc=|<link|\bfetch\(|XMLHttpRequest|\bimport\(/
    expect(page(results, pictures)).not.toMatch(fetched)
  })

  it('stop where the page would be longer than a megabyte: the story is told in words then', () => {
    const ids = Array.from({ length: 40 }, (_, at) => `F${at + 1}`)
    const { results } = pictured()
    const findings = ids.map((id) => finding(id, { implementation: layer }))
    // What does not pack well.
    const timeline = longTimeline(2000)
    const events = timeline.events.map((event, at) => ({ ...event, reply: String(Math.sin(at)).repeat(2) }))
    const text = page(
      { ...results, findings },
      ids.map((id) => pictureOf(id, { ...timeline, events })),
    )
    expect(text.length).toBeLessThan(1_000_000)
    const shown = packed(text).map((picture) => picture.finding)
    expect(shown.length).toBeGreaterThan(2)
    expect(shown).toEqual(ids.slice(0, shown.length))
    expect(shown.length).toBeLessThan(ids.length)
  })
})
