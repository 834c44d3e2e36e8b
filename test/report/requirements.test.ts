import { describe, expect, test } from 'vitest'
import type { PairResult } from '../../src/contract/results/results.ts'
import { requirementsOf } from '../../src/report/requirements.ts'
import { broken, pair, violation } from './made-up-results.ts'

const on = (sink: PairResult['sink'], changes: Partial<PairResult> = {}) => pair({ sink, ...changes })
const brokenBy = (sink: PairResult['sink'], ...invariants: Parameters<typeof violation>[0][]) =>
  broken({ sink, violations: invariants.map((changes) => violation(changes)) })

describe('the requirement of a layer', () => {
  test('is empty if it holds everywhere', () => {
    expect(requirementsOf([on('plain'), on('keyed')])).toBe('holds in all 2 cells')
  })

  test('is a deduplicating sink if it holds on one of these, but not on a plain one', () => {
    expect(requirementsOf([brokenBy('plain', {}), on('keyed')])).toBe(
      'needs a sink that deduplicates by key: then nothing broke in 1 scenario',
    )
  })

  test('is more than that if it breaks there, too', () => {
    const lost = { invariant: 'no-lost-message', kind: 'given-up' } as const
    const wrong = { invariant: 'payload-bound', kind: 'answered-as-if-the-same' } as const
    expect(requirementsOf([brokenBy('plain', {}), brokenBy('keyed', wrong, lost)])).toBe(
      'needs a sink that deduplicates by key and keys with one payload each; even then a message was lost',
    )
    expect(requirementsOf([brokenBy('plain', {}), brokenBy('keyed', wrong)])).toBe(
      'needs a sink that deduplicates by key and keys with one payload each: then nothing broke in 1 scenario',
    )
  })

  test('is not a sink if no effect happened twice', () => {
    const late = { invariant: 'bounded-stall', kind: 'retry-goes-on' } as const
    expect(requirementsOf([brokenBy('plain', late), on('keyed')])).toBe(
      'the effect happens once, but a message was delayed for too long',
    )
  })

  test('is unknown if a cell has no verdict, and an error if the harness failed', () => {
    expect(requirementsOf([on('plain'), on('plain', { verdict: 'unknown' })])).toBe(
      'nothing broke; no verdict in 1 of 2 cells',
    )
    expect(requirementsOf([on('plain', { verdict: 'error' })])).toContain('the harness failed')
  })
})
