import { expect, test } from 'vitest'
import type { PairResult } from '../../src/contract/results/results.ts'
import { controlLine, summaryLine, wrongLackLines } from '../../src/report/last-lines.ts'
import { broken, pair, results } from './made-up-results.ts'

const plain = { colours: false }

test('the last line counts verdicts and gives the result', () => {
  const line = summaryLine(results({ pairs: [pair(), broken()], exitCode: 1 }), plain)
  expect(line).toBe('2 pairs: 1 pass, 1 violated; an invariant is violated (seed 7)')
  expect(summaryLine(results({ pairs: [], exitCode: 130 }), plain)).toBe(
    '0 pairs: none; interrupted: results so far (seed 7)',
  )
})

test('the last line lists expected violations, and is green only without violations', () => {
  const expected = broken({ expect: 'broken' })
  const line = (pairs: PairResult[]) => summaryLine(results({ pairs, exitCode: 0 }), { colours: true })
  expect(line([pair(), expected])).toContain('1 violated; what broke was expected to break (001-get-set) (seed 7)')
  expect(line([pair()])).toContain('1 pass; every verdict is as expected (seed 7)')
  const colour = (text: string) => text.slice(0, text.indexOf('m') + 1)
  expect(colour(line([pair(), expected]))).not.toBe(colour(line([pair()])))
})

test('the line of a control that survived voids every pass', () => {
  expect(controlLine(pair({ implementation: '001-get-set' }), plain)).toContain('do not trust the harness')
  expect(controlLine(broken(), plain)).not.toContain('trusted')
})

test('a layer that dead-letters should not declare that it cannot', () => {
  const lacks = ['lease', 'dead-lettering'] as const
  const pairs = (deadLettered: number) => [
    pair({ implementation: 'a', lacks, deadLettered: 0 }),
    pair({ implementation: 'a', scenario: 'only-crashes', deadLettered }),
    pair({ implementation: 'b', lacks: ['lease'], deadLettered: 9 }),
  ]
  expect(wrongLackLines({ pairs: pairs(57) })).toEqual([
    "declared: a says that it lacks 'dead-lettering', but it dead-lettered 57 messages (remove that from its `lacks`)",
  ])
  expect(wrongLackLines({ pairs: pairs(0) })).toEqual([])
})
