import { expect, it } from 'vitest'
import { markKnown } from '../../../src/campaign/conduct/baseline.ts'
import type { Finding, RootCause } from '../../../src/contract/results/results.ts'

const root = (changes: Partial<RootCause> = {}): RootCause =>
  ({ id: '1', name: 'crash', implementation: 'mine', sink: 'plain', findings: ['F1'], ...changes }) as RootCause
const finding = (changes: Partial<Finding> = {}): Finding =>
  ({ id: 'F1', rootCause: '1', implementation: 'mine', sink: 'plain', ...changes }) as Finding

const isKnown = (changes: Partial<RootCause>) =>
  markKnown({ rootCauses: [root(changes)], findings: [] }, [root()]).rootCauses[0]!.known === true

it('knows a root cause by layer, sink and name only', () => {
  expect(isKnown({ id: '7', runs: 3 })).toBe(true)
  expect(isKnown({ implementation: 'other' })).toBe(false)
  expect(isKnown({ sink: 'keyed' })).toBe(false)
  expect(isKnown({ name: 'slow-holder' })).toBe(false)
})

it('knows the findings of a known root cause, and no others', () => {
  const rootCauses = [root(), root({ id: '2', name: 'slow-holder' })]
  const findings = [
    finding(),
    finding({ id: 'F2' }),
    finding({ id: 'F3', rootCause: '2' }),
    finding({ id: 'F1', sink: 'keyed' }),
  ]
  const marked = markKnown({ rootCauses, findings }, [root()]).findings
  expect(marked.map(({ known }) => known === true)).toEqual([true, true, false, false])
})

it('marks nothing without a baseline or with an empty one', () => {
  const found = { rootCauses: [root()], findings: [finding()] }
  expect(markKnown(found, undefined)).toEqual(found)
  expect(markKnown(found, [])).toEqual(found)
})
