import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { invariantDocs } from '../../src/check/docs.ts'
import { type InvariantDoc, invariantNames } from '../../src/contract/api/verdict.ts'

const folder = new URL('../../src/check/', import.meta.url)
const sources = readdirSync(folder)
  .filter((file) => file.endsWith('.ts'))
  .map((file) => readFileSync(new URL(file, folder), 'utf8'))
const kinds = new Set(
  sources.flatMap((source) => [...source.matchAll(/kind: ['`]([a-z-]+)/g)].map(([, kind]) => kind!)),
)

/** Missing or malformed texts. */
function faultsIn({ about, demand, broken, remedies }: InvariantDoc): string[] {
  const sentences = { about, demand, ...remedies }
  const unfit = Object.entries(sentences).filter(([, text]) => !/^[A-Z].+\.$/.test(text))
  const faults = unfit.map(([name]) => `${name} is no sentence`)
  if (!/^(?:[a-z]|Redis).*[^.]$/.test(broken)) faults.push('broken is no part of a heading')
  if (Object.keys(remedies).length === 0) faults.push('it has no remedy')
  return faults
}

/** Kinds of violations without a remedy. */
function withoutRemedy(found: Iterable<string>, docs: readonly InvariantDoc[]): string[] {
  return [...found].filter((kind) => docs.every(({ remedies }) => remedies[kind] === undefined))
}

describe('the texts of the invariants', () => {
  const docs = Object.values(invariantDocs)

  it.each(invariantNames)('exist for %s', (name) => expect(faultsIn(invariantDocs[name])).toEqual([]))

  it('have exactly one remedy for every kind of violation that a check finds', () => {
    expect(kinds.size).toBeGreaterThan(15)
    expect(withoutRemedy(kinds, docs)).toEqual([])
    const named = docs.flatMap(({ remedies }) => Object.keys(remedies))
    expect(new Set(named).size).toBe(named.length)
  })

  it('have no remedy for an unknown kind', () => {
    const named = docs.flatMap(({ remedies }) => Object.keys(remedies).map((kind) => kind.split(':', 1)[0]!))
    expect(named.filter((kind) => !kinds.has(kind))).toEqual([])
  })

  it('are checked for gaps', () => {
    const doc = { about: 'It holds', demand: 'It holds.', broken: 'It broke.', remedies: {} }
    expect(faultsIn(doc)).toEqual(['about is no sentence', 'broken is no part of a heading', 'it has no remedy'])
    expect(withoutRemedy(['zombie', 'late'], [{ ...doc, remedies: { zombie: 'Never.' } }])).toEqual(['late'])
  })
})
