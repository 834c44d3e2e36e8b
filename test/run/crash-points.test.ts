import { describe, expect, test } from 'vitest'
import { crashPointName, readCrashPoint } from '../../src/contract/api/crash-point.ts'
import { CrashPoints } from '../../src/run/crash-points.ts'

describe('crash points', () => {
  test('distinguish an expired lease from a live one', () => {
    const points = new CrashPoints(500)
    expect(points.pass('effect-applied', null, 500_000).name).toBe('effect-applied, lease live')
    expect(points.pass('effect-applied', null, 500_001).name).toBe('effect-applied, lease expired')
  })

  test('are new once, for all processes together', () => {
    const points = new CrashPoints(500)
    expect(points.pass('command-executed', 'GET', 0).isNew).toBe(true)
    expect(points.pass('command-executed', 'GET', 0).isNew).toBe(false)
    expect(points.pass('command-executed', 'SET', 0).isNew).toBe(true)
    expect(points.pass('command-executed', 'GET', 600_000).isNew).toBe(true)
    expect(points.passed.size).toBe(3)
  })

  test('have names that can be parsed', () => {
    for (const label of [null, 'GET', 'EVALSHA acquire'])
      for (const lease of ['live', 'expired'] as const) {
        const point = { boundary: 'reply-received', label, lease } as const
        expect(readCrashPoint(crashPointName(point))).toEqual(point)
      }
    expect(readCrashPoint('reply-received GET')).toBeNull()
    expect(readCrashPoint('nowhere, lease live')).toBeNull()
  })
})
