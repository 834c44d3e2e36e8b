import fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import { insteadPage, type Measured } from '../../bench/instead/instead-page.ts'
import { kindTexts } from '../../bench/instead/kinds.ts'
import { measured } from '../../bench/instead/measure.ts'
import { remedies } from '../../bench/instead/remedies.ts'
import { invariantDocs } from '../../src/check/docs.ts'
import { packageFolder } from '../../src/cli/catalogue.ts'
import { readPatterns } from '../../src/cli/patterns.ts'
import { insteadOf, remedySections } from '../../src/contract/remedy-page.ts'

const page = () => fs.readFileSync(`${packageFolder}docs/instead.md`, 'utf8')

describe('docs/instead.md', () => {
  it('is what `pnpm instead --write` writes today', async () => {
    const now = await measured()
    expect(page()).toBe(insteadPage(now))
    // It would not be, with another price or another run.
    const dearer: Measured = {
      ...now,
      prices: new Map(now.prices).set('001-get-set', { first: { store: 9, sink: 1 }, copy: { store: 1 } }),
    }
    expect(page()).not.toBe(insteadPage(dearer))
  }, 60_000)

  it('is not written where a pattern has no run, or no price', async () => {
    const none: Measured = { ...(await measured()), smallest: new Map() }
    expect(() => insteadPage(none)).toThrow('docs/patterns.md tells no run of it')
    expect(() => insteadPage({ ...none, prices: new Map() })).toThrow('a price was not measured')
  }, 60_000)

  it('has a section for every kind of violation, where findings lead', () => {
    expect(kindTexts.map(({ title }) => title)).toEqual(remedySections.map(({ title }) => title))
    const kinds = Object.values(invariantDocs).flatMap((doc) => Object.keys(doc.remedies))
    const headings = [...page().matchAll(/^### (.*)$/gm)].map(([, title]) => title!.toLowerCase().replaceAll(' ', '-'))
    for (const kind of kinds) expect(headings).toContain(insteadOf(kind)?.split('#')[1])
    expect(remedySections.flatMap(({ kinds: own }) => own).filter((kind) => !kinds.includes(kind))).toEqual([])
  })

  it('names each pattern once, with its twin', () => {
    const named = remedies.flatMap(({ patterns }) => patterns.map(({ pattern }) => pattern))
    expect(named.sort()).toEqual(
      readPatterns()
        .map(({ adapters: [first] }) => first!)
        .sort(),
    )
  })
})
