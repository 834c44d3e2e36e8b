import { describe, expect, it } from 'vitest'
import type { MeasuredFinding } from '../../tools/stories/measure-layer.ts'
import { isOverAim, layerLines, summaryLines } from '../../tools/stories/summary-lines.ts'

const found = (lines: number, more: Partial<MeasuredFinding> = {}): MeasuredFinding => ({
  layer: 'a',
  what: 'at-most-once: duplicate',
  scenario: 's',
  story: Array.from({ length: lines }, (_, at) => `line ${at}`),
  faults: 1,
  seconds: 0.5,
  ...more,
})

describe('the summary of stories', () => {
  it('has a row for each layer, with the median and the maximum', () => {
    const lines = layerLines([
      found(9),
      found(12, { faults: 3 }),
      found(20, { seconds: 4.96 }),
      found(7, { layer: 'b' }),
    ])
    expect(lines.slice(2)).toEqual(['| `a` | 3 | 12 | 20 | 3 | 5.0 |', '| `b` | 1 | 7 | 7 | 1 | 0.5 |'])
  })

  it('marks the findings above a target, but not those exactly at it', () => {
    expect([found(25), found(1, { faults: 3 }), found(1, { seconds: 4.99 })].some(isOverAim)).toBe(false)
    expect([found(26), found(1, { faults: 4 }), found(1, { seconds: 5 })].every(isOverAim)).toBe(true)
    const lines = summaryLines([found(9), found(26)])
    expect(lines[2]).toContain('| 26 | 1 | 0.50 | over the aim')
    expect(lines[3]).not.toContain('over the aim')
    expect(lines).toContain('2 findings, 1 over the aim (25 lines, 3 faults, under 5 s)')
  })
})
