import { describe, expect, it } from 'vitest'
import { isSameCause } from '../../src/campaign/same-cause.ts'
import type { Cause } from '../../src/contract/results.ts'

const shown = (cause: Partial<Cause> = {}, reason: string | null = 'the claim expired after 10 s, at work') => ({
  cause: {
    invariant: 'at-most-once' as const,
    kind: 'zombie',
    path: ['GET', 'SET'],
    decidedBy: 'SET: OK',
    needs: ['pause'],
    ...cause,
  },
  reason,
})

const isSame = (cause: Partial<Cause>, reason?: string | null) => isSameCause(shown(), shown(cause, reason))

describe('two runs show one cause', () => {
  it('where all that is known of it is the same, whether the facts give a reason or not', () => {
    expect(isSame({})).toBe(true)
    expect(isSameCause(shown({}, null), shown({}, null))).toBe(true)
  })

  it('where the reason is the same: by another fault, by another step, or along another path', () => {
    expect(isSame({ needs: ['slow-effect'] })).toBe(true)
    expect(isSame({ decidedBy: 'GET: nothing' })).toBe(true)
    expect(isSame({ path: ['DEL', 'GET', 'SET'] })).toBe(true)
  })

  it('where it differs in nothing but how long a lease was drawn', () => {
    expect(isSame({ needs: [] }, 'the claim expired after 5 min, at work')).toBe(true)
  })
})

describe('two runs show two causes', () => {
  it('where the reason is another one, or there is none', () => {
    expect(isSame({ needs: ['slow-effect'] }, 'the process died')).toBe(false)
    expect(isSameCause(shown({}, null), shown({ needs: [] }, null))).toBe(false)
  })

  it('where it broke in another way', () => {
    expect(isSame({ kind: 'duplicate' })).toBe(false)
    expect(isSame({ invariant: 'same-result' })).toBe(false)
  })

  it('where both the step and the path are others', () => {
    expect(isSame({ decidedBy: 'EVALSHA renew: 1', path: ['EVALSHA renew'] })).toBe(false)
  })

  it('where the step says more than the reason: another bug would pass for the frequent one', () => {
    expect(isSame({ decidedBy: 'SET: nothing, then GET: nothing' })).toBe(false)
    expect(isSame({ decidedBy: 'SET: OK, done meanwhile' })).toBe(false)
  })
})
