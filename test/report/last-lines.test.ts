import { expect, test } from 'vitest'
import { controlLine, summaryLine } from '../../src/report/last-lines.ts'
import { broken, pair, results } from './made-up-results.ts'

const plain = { colours: false }

test('the last line counts verdicts and says what they came to', () => {
  const line = summaryLine(results({ pairs: [pair(), broken()], exitCode: 1 }), plain)
  expect(line).toBe('2 pairs: 1 pass, 1 violated; an invariant is violated (seed 7)')
  expect(summaryLine(results({ pairs: [], exitCode: 130 }), plain)).toBe(
    '0 pairs: none; interrupted: this is what was found so far (seed 7)',
  )
})

test('a control that survived makes every pass worthless', () => {
  expect(controlLine(pair({ implementation: '001-get-set' }), plain)).toContain('the harness cannot be trusted')
  expect(controlLine(broken(), plain)).not.toContain('trusted')
})
