import fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import { invariantDocs } from '../../src/check/docs.ts'
import { packageFolder } from '../../src/cli/catalogue.ts'
import { readPatterns } from '../../src/cli/patterns.ts'
import { insteadOf, remedySections } from '../../src/contract/results/remedy-page.ts'
import { kindTexts } from '../../tools/instead/kinds.ts'
import { remedies } from '../../tools/instead/remedies.ts'

const page = () => fs.readFileSync(`${packageFolder}docs/findings/instead.md`, 'utf8')

describe('docs/findings/instead.md', () => {
  it('has a section for every kind of violation that findings link to', () => {
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
