import { expect, test } from 'vitest'
import { runRanges } from '../../src/report/run-ranges.ts'

test('consecutive numbers are folded', () => {
  expect(runRanges([7, 0, 1, 3, 2, 9, 8, 100])).toBe('0-3, 7-9, 100')
})

test('other numbers are not folded', () => {
  expect(runRanges([0, 2, 4])).toBe('0, 2, 4')
  expect(runRanges([5, 5])).toBe('5')
  expect(runRanges([])).toBe('')
})
