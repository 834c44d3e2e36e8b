import { describe, expect, test } from 'vitest'
import { layerLines } from '../../src/report/matrix-lines.ts'
import { broken, pair, violation } from './made-up-results.ts'

const plain = { colours: false }

describe('the lines of a layer', () => {
  test('lead with its requirement, and have a block for each sink', () => {
    const lines = layerLines([pair({ implementation: '001-get-set', sink: 'keyed' }), broken()], plain)
    expect(lines[0]).toMatch(/^001-get-set: needs a sink that deduplicates by key: /)
    expect(lines.filter((line) => line.endsWith(' sink'))).toEqual(['  plain sink', '  keyed sink'])
  })

  test('state the proved bound, or the worst finding', () => {
    const late = violation({ invariant: 'bounded-stall', kind: 'retry-goes-on', faultCount: 0 })
    const [, , first, second] = layerLines(
      [
        pair({ implementation: 'a', scenario: 'x' }),
        broken({ implementation: 'a', scenario: 'y', violations: [late, violation()] }),
      ],
      plain,
    )
    expect(first).toBe('  ✓ x  holds: 2,000 runs, 5,840 effects, goals 3/3')
    expect(second).toBe('  ✕ y  at-most-once: repeat-after-crash (seed 7, run 312, 1 fault)')
  })

  test('print one replay command for each sink, for the smallest of the worst', () => {
    const small = violation({ faultCount: 0, replay: 'pnpm sim replay op2_small' })
    const lines = layerLines([broken(), broken({ scenario: 'y', violations: [small] })], plain)
    expect(lines.filter((line) => line.startsWith('replay: '))).toEqual(['replay: pnpm sim replay op2_small'])
  })
})
