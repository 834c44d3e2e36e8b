import { expect, it } from 'vitest'
import { markKnown } from '../../../src/campaign/conduct/baseline.ts'
import type { Finding } from '../../../src/contract/results/results.ts'

const cause = {
  invariant: 'at-most-once',
  kind: 'zombie',
  path: ['GET'],
  decidedBy: 'GET: nothing',
  needs: ['pause'],
} as const
const finding = (changes: Partial<Finding> = {}): Finding =>
  ({ id: 'F1', implementation: 'mine', sink: 'plain', cause, why: 'the lease of 2 s ended', ...changes }) as Finding

const isKnown = (changes: Partial<Finding>) => markKnown([finding(changes)], [finding()])[0]!.known === true

it('knows a finding by layer, sink and cause, and by nothing else', () => {
  expect(isKnown({ id: 'F7', runs: 3, seed: 9 })).toBe(true)
  expect(isKnown({ why: 'the lease of 1.5 s ended', cause: { ...cause, needs: ['slow-effect'] } })).toBe(true)
  expect(isKnown({ implementation: 'other' })).toBe(false)
  expect(isKnown({ sink: 'keyed' })).toBe(false)
  expect(isKnown({ cause: { ...cause, kind: 'duplicate' } })).toBe(false)
  expect(isKnown({ cause: { ...cause, invariant: 'same-result' } })).toBe(false)
  expect(isKnown({ why: 'the lock was freed', cause: { ...cause, needs: [] } })).toBe(false)
})

it('knows a finding by each of its kinds', () => {
  const several = [finding({ otherKinds: ['duplicate'] })]
  const isKnownAs = (kind: string) => markKnown([finding({ cause: { ...cause, kind } })], several)[0]!.known === true
  expect(['zombie', 'duplicate', 'repeat-after-crash'].map(isKnownAs)).toEqual([true, true, false])
})

it('marks nothing without a baseline, nor with an empty one', () => {
  expect(markKnown([finding()], undefined)).toEqual([finding()])
  expect(markKnown([finding()], [])).toEqual([finding()])
})
