import { describe, expect, it } from 'vitest'
import { gravestFirst } from '../../src/campaign/conduct/findings.ts'
import type { Explained } from '../../src/campaign/explain/explain.ts'
import type { InvariantName } from '../../src/contract/api/verdict.ts'

interface Found {
  readonly name: string
  readonly invariant?: InvariantName
  readonly shrunk?: boolean
  readonly faultCount?: number
  readonly eventCount?: number
  readonly runs?: number
  readonly sinkForgot?: true
}

function explained({ name, invariant = 'at-most-once', runs = 1, sinkForgot, ...shown }: Found): Explained {
  return {
    cause: { invariant, kind: name, path: [], decidedBy: null, needs: [], ...(sinkForgot && { sinkForgot }) },
    shown: { shrunk: true, faultCount: 1, eventCount: 20, ...shown } as never,
    seen: [{ seen: {} as never, runs: Array.from({ length: runs }, (_, at) => at) }],
  }
}

const order = (...found: Found[]): string[] =>
  found
    .map(explained)
    .sort(gravestFirst)
    .map(({ cause }) => cause.kind)

describe('the finding that represents a root cause', () => {
  it('is the most severe one, however complex', () => {
    const grave = { name: 'twice', faultCount: 3, eventCount: 900 }
    expect(order({ name: 'stalls', invariant: 'bounded-stall', faultCount: 0, runs: 90 }, grave)).toEqual([
      'twice',
      'stalls',
    ])
  })

  it('does not depend on a sink that forgets keys if another finding does not', () => {
    const forgotten = { name: 'twice', faultCount: 0, eventCount: 9, runs: 90 }
    const own = { name: 'immortal', invariant: 'no-immortal-keys', eventCount: 900 } as const
    expect(order({ ...forgotten, sinkForgot: true }, own)).toEqual(['immortal', 'twice'])
    expect(order(forgotten, own)).toEqual(['twice', 'immortal'])
  })

  it('is the simplest of equal severity, however frequent the others are', () => {
    const often = { name: 'often', faultCount: 1, eventCount: 300, runs: 90 }
    expect(order(often, { name: 'three faults', faultCount: 3, eventCount: 9 }, { name: 'short' })).toEqual([
      'short',
      'often',
      'three faults',
    ])
  })

  it('is a shrunk one rather than an unshrunk one', () => {
    expect(order({ name: 'as drawn', shrunk: false, faultCount: 0, eventCount: 5 }, { name: 'small' })).toEqual([
      'small',
      'as drawn',
    ])
  })

  it('is the most frequent of equally simple ones', () => {
    expect(order({ name: 'a', runs: 2 }, { name: 'b', runs: 7 })).toEqual(['b', 'a'])
    expect(order({ name: 'b' }, { name: 'a' })).toEqual(['a', 'b'])
  })
})
