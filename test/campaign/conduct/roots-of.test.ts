import { describe, expect, it } from 'vitest'
import { rootsOf } from '../../../src/campaign/conduct/findings.ts'
import type { Explained } from '../../../src/campaign/explain/explain.ts'
import type { RiskName } from '../../../src/contract/api/risk.ts'

interface Found {
  readonly id: string
  readonly kind?: string
  readonly why?: string
  readonly reason?: string
  readonly shrunk?: boolean
  readonly acceptable?: readonly RiskName[]
}

function explained({ id, kind = 'duplicate', why = '', reason, shrunk = true, acceptable }: Found): Explained {
  const cause = { invariant: 'at-most-once', kind, path: [id], decidedBy: null, needs: [] } as const
  const shown = { cause, why, reason: reason ?? null, shrunk, faultCount: 1, eventCount: 9, acceptable }
  return { cause, shown: shown as never, seen: [{ seen: {} as never, runs: [1] }] }
}

const idsOf = (...found: Found[]) =>
  rootsOf(found.map(explained)).map(({ members }) => members.map(({ cause }) => cause.path[0]))

const looked = 'both attempts looked (GET) before either had written'
const clear = { id: 'clear', why: looked, reason: looked }

describe('root causes of findings', () => {
  it('put the shrunk finding first', () => {
    expect(idsOf({ id: 'drawn', shrunk: false }, { id: 'small' })).toEqual([['small', 'drawn']])
  })

  it('include a finding without a reason that needs the same section', () => {
    expect(idsOf(clear, { id: 'vague' })).toEqual([['clear', 'vague']])
    expect(idsOf({ id: 'vague' }, { ...clear, shrunk: false })).toEqual([['clear', 'vague']])
  })

  it('exclude a finding that has a reason or needs another section', () => {
    expect(idsOf(clear, { id: 'other', reason: 'a reason' })).toEqual([['clear'], ['other']])
    expect(idsOf(clear, { id: 'crash', kind: 'repeat-after-crash' })).toEqual([['clear'], ['crash']])
  })

  it('leave a finding without a reason alone if no other is like it', () => {
    expect(idsOf({ id: 'vague' })).toEqual([['vague']])
  })

  it('do not take in a finding that a risk explains', () => {
    const lost = { id: 'lost', kind: 'repeat-after-loss:flush', acceptable: ['redis-data-loss'] } as const
    expect(idsOf(lost, { id: 'vague', kind: 'repeat-after-loss:flush' })).toHaveLength(1)
    expect(idsOf(clear, { id: 'late', acceptable: ['copies-after-retention'] })).toEqual([['clear'], ['late']])
  })
})
