import { describe, expect, test } from 'vitest'
import type { PlannedFault } from '../../src/contract/api/plan.ts'
import { type Armed, Boundaries } from '../../src/run/boundaries.ts'

const crashAt = (nth: number, more: Partial<PlannedFault> = {}): Armed => ({
  index: 0,
  fault: { kind: 'crash', when: { at: 'command-executed', consumer: 0, nth }, ...more },
})

const struckBy = (boundaries: Boundaries, slot: number, isNew: boolean): number =>
  boundaries.pass(slot, 'command-executed', isNew, { label: 'SET' }).length

describe('a fault at a boundary', () => {
  test('strikes its own consumer at the nth pass', () => {
    const boundaries = new Boundaries([crashAt(2)], [])
    const struck = [0, 1, 0, 0].map((slot) => struckBy(boundaries, slot, true))
    expect(struck).toEqual([0, 0, 1, 0])
  })

  test('counts only new crash points if it aims at them, and strikes any consumer', () => {
    const boundaries = new Boundaries([crashAt(2, { aim: 'new-crash-points' })], [])
    const passes = [
      [0, true],
      [0, false],
      [0, false],
      [2, true],
      [2, false],
    ] as const
    expect(passes.map(([slot, isNew]) => struckBy(boundaries, slot, isNew))).toEqual([0, 0, 0, 1, 0])
  })

  test('counts the commands of each attempt if it aims at one, and strikes once', () => {
    const boundaries = new Boundaries([crashAt(3, { aim: 'one-attempt' })], [])
    const struck = [7, 8, null, 7, 8, 8, 7].map(
      (attempt) => boundaries.pass(0, 'command-executed', true, { label: 'SET' }, attempt).length,
    )
    expect(struck).toEqual([0, 0, 0, 0, 0, 1, 0])
  })
  test('counts commands about a message after another attempt was struck, if it aims at a later attempt', () => {
    const [first, later] = [{ aim: 'one-attempt-on-keys' }, { aim: 'later-attempt-on-keys' }]
    const armed = [crashAt(2, first), { ...crashAt(1, later), index: 1 }]
    const boundaries = new Boundaries(armed, [{ messageId: 'message-1', key: 'order-1' }])
    expect(boundaries.wantsKeys).toBe(true)
    const about = 'record:order-1'
    const passes = [
      [7, about],
      [7, undefined],
      [8, about],
      [7, about],
      [7, about],
      [9, undefined],
      [9, about],
      [9, about],
    ] as const
    const struck = passes.map(([attempt, redisKey]) =>
      boundaries
        .pass(0, 'command-executed', true, { label: 'SET', redisKey }, attempt)
        .map(({ index }) => index)
        .join(),
    )
    // Attempt 8 began before attempt 7 was struck, but still counts as later.
    expect(struck).toEqual(['', '', '', '0', '', '', '1', ''])
  })
})
