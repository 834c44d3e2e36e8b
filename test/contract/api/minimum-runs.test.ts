import { expect, it } from 'vitest'
import { minimumRunsOf } from '../../../src/contract/api/scenario.ts'

it('a scenario can still declare its minimum runs by the former name', () => {
  expect(minimumRunsOf({ shape: 'single', floorRuns: 7 })).toBe(7)
  expect(minimumRunsOf({ shape: 'single', minimumRuns: 8, floorRuns: 7 })).toBe(8)
  expect(minimumRunsOf({ shape: 'single' })).toBe(60)
})
