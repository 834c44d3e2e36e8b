import { describe, expect, it } from 'vitest'
import type { Picture } from '../../../src/contract/results/timeline.ts'
import { folded, unfolded } from '../../../src/report/page/browser/columns.ts'
import { inflated, unpacked } from '../../../src/report/page/browser/packed.ts'
import { inPieces, ofPieces } from '../../../src/report/page/browser/pieces.ts'
import { page } from '../../../src/report/page/page.ts'
import { broken, finding, replayed, results } from '../made-up-results.ts'
import { brokenTimeline, layer, longTimeline, pictured, pictureOf } from './made-up-pictures.ts'
import { unpackedPage } from './unpacked-page.ts'

/** The pictures of a page, as its scripts unpack them. */
function packed(text: string): Picture[] {
  const found = unpackedPage(text).matchAll(
    /<div class="picture"><script type="application\/octet-stream">([^<]*)<\/script>/g,
  )
  const [first, ...others] = [...found].map(([, data]) => data!)
  if (first === undefined) return []
  return [unpacked(first, null), ...others.map((data) => unpacked(data, inflated(first)))]
}

describe('pictures in the page', () => {
  it('are the timelines of its findings, each once, in the order of the findings', () => {
    const { results, pictures } = pictured()
    expect(packed(page(results, pictures))).toEqual(pictures)
    expect(packed(page(results, [...pictures].reverse()))).toEqual(pictures)
  })

  it('are those of a replay: of each violation shown, or of the run that holds', () => {
    const { timeline } = pictureOf('F1')
    const shown = { implementation: layer, sink: 'plain', finding: null, timeline } as const
    const violations = ['repeat-after-crash', 'zombie'].map((kind) => replayed({ kind }))
    const text = page(
      results({ pairs: [broken({ implementation: layer, violations })], exitCode: 1 }),
      violations.map(({ invariant, kind }) => ({ ...shown, shows: { invariant, kind } })).reverse(),
    )
    expect(packed(text).map(({ shows }) => shows?.kind)).toEqual(['repeat-after-crash', 'zombie'])
    expect(text.match(/<p class="why">it died<\/p>/g)).toHaveLength(2)
    expect(packed(page(results(), [shown]))).toEqual([shown])
  })

  it('are on the page of a replay beside unpacked text, because it has no results file', () => {
    const { timeline } = pictureOf('F1')
    const reported = replayed({
      story: Array.from({ length: 20_000 }, (_, at) => `${at}.0 ms  what it did then`),
    })
    const { invariant, kind } = reported
    const text = page(results({ pairs: [broken({ implementation: layer, violations: [reported] })], exitCode: 1 }), [
      { implementation: layer, sink: 'plain', finding: null, timeline, shows: { invariant, kind } },
    ])
    expect(Buffer.byteLength(text)).toBeGreaterThan(1_000_000)
    expect(text).not.toContain('class="packed"')
    expect(text).not.toContain('results.json')
  })

  it('give the same bytes for the same runs, and cannot end their element', () => {
    const nasty = '</script><img src=x onerror=alert(1)>'
    const timeline = { ...pictureOf('F1').timeline, title: nasty }
    const made = pictured(pictureOf('F1', timeline))
    const text = page(made.results, made.pictures)
    expect(page(made.results, made.pictures)).toBe(text)
    expect(text).not.toContain(nasty)
    expect(packed(text)[0]!.timeline.title).toBe(nasty)
    expect(text.match(/<\/script>/g)!.length).toBe(text.match(/<script[ >]/g)!.length)
  })

  it('add a script only if there are pictures, and fetch nothing', () => {
    const { results, pictures } = pictured()
    expect(page(results).match(/<script/g)).toHaveLength(1)
    const fetched = /@import|url\((?!#)|\ssrc=|<link|\bfetch\(|XMLHttpRequest|\bimport\(/
    expect(page(results, pictures)).not.toMatch(fetched)
  })

  const ids = Array.from({ length: 30 }, (_, at) => `F${at + 1}`)
  /** Data that do not compress well. */
  const noise = (seed: number) => {
    const timeline = longTimeline(1200)
    const events = timeline.events.map((event, at) => ({ ...event, reply: String(Math.sin(at + seed)).repeat(2) }))
    return { ...timeline, events }
  }

  it('are left out once the page would exceed a megabyte, which leaves the story in words', () => {
    const { results } = pictured()
    const findings = ids.map((id) => finding(id, { implementation: layer }))
    const pictures = ids.map((id, at) => pictureOf(id, noise(at)))
    const shownOf = (text: string) => packed(text).map((picture) => picture.finding)
    const text = page({ ...results, findings }, pictures)
    expect(Buffer.byteLength(text)).toBeLessThan(1_000_000)
    const shown = shownOf(text)
    expect(shown.length).toBeGreaterThan(2)
    expect(shown).toEqual(ids.slice(0, shown.length))
    expect(shown.length).toBeLessThan(ids.length)
    // The more room words take, the less there is for pictures.
    const words = (of: number) =>
      Array.from({ length: 200 }, (_, at) => ` 1.0 ms  ${Math.sin(of * 200 + at)} `.repeat(2))
    const wordy = findings.map((one, at) => ({ ...one, story: words(at) }))
    const other = page({ ...results, findings: wordy }, pictures)
    expect(Buffer.byteLength(other)).toBeLessThan(1_000_000)
    expect(shownOf(other).length).toBeLessThan(shown.length)
  })

  it('cost almost nothing if they repeat the first one', () => {
    const { results } = pictured()
    const findings = ids.map((id) => finding(id, { implementation: layer }))
    const sizeOf = (count: number) => {
      const text = page(
        { ...results, findings },
        ids.slice(0, count).map((id) => pictureOf(id, brokenTimeline())),
      )
      const found = text.matchAll(/octet-stream">([^<]*)</g)
      return [...found].reduce((sum, [, data]) => sum + data!.length, 0)
    }
    expect(sizeOf(10) - sizeOf(1)).toBeLessThan(sizeOf(1))
  })
})

describe('a text in pieces', () => {
  const token = 'op2_jdPbCsMgDAbgJxLiKd39nsR1wsYEmaywx28itEQ-'.repeat(3)
  const rows = (one: number) => `<tr><td>${one}</td><td>the same in each</td><td><code>${token}</code></td></tr>`
  const texts: Record<string, string> = {
    'repeated rows': [1, 2, 1, 3].map(rows).join('\n'),
    'no element': 'nothing,1,2',
    nothing: '',
    'numbers and commas, and a single token': `0,1${token},2`,
  }
  it.each(Object.entries(texts))('joins to the original: %s', (_, text) => {
    expect(ofPieces(inPieces(text))).toBe(text)
  })

  it('has repeated parts only once, however far apart', () => {
    const far = [1, 2].map((one) => `${rows(one)}<p>${'x '.repeat(30_000)}${one}</p>`).join('')
    expect(inPieces(far).split(token)).toHaveLength(2)
  })
})

describe('folded JSON', () => {
  const examples: Record<string, unknown> = {
    'a list of objects': [{ at: 5, text: 'a' }, { at: 9, text: null }, { at: 2 }],
    'numbers with gaps and nulls': [{ a: 1 }, { a: null }, {}, { a: -3, b: 1 }],
    fractions: [{ a: 0.5 }, { a: 2 }, { a: 1e15 }],
    'nested lists': [
      { lanes: [1, 2], inner: [{ x: 1 }, { x: 2 }] },
      { lanes: [], inner: [] },
    ],
    'one object, no object, and other values': [[{ a: 1 }], [], ['a', 1, null], [{ a: 1 }, 2], { a: { b: [] } }],
  }
  it.each(Object.entries(examples))('unfolds to the original: %s', (_, value) => {
    expect(unfolded(JSON.parse(JSON.stringify(folded(value))))).toEqual(value)
  })

  it('is shorter', () => {
    const { timeline } = pictureOf('F1')
    expect(JSON.stringify(folded(timeline)).length).toBeLessThan(JSON.stringify(timeline).length * 0.75)
  })
})
