import { describe, expect, test } from 'vitest'
import { controlLines, pairLine, pairLines, summaryLine } from '../../src/report/terminal.ts'
import { broken, pair, results, violation } from './made-up-results.ts'

const plain = { colours: false }

describe('the line of a pair', () => {
  test('says what the verdict rests on', () => {
    expect(pairLine(pair(), plain).replace(/ +/g, ' ')).toBe(
      'pass reference × crash-mid-logic, plain sink 2,000 runs, 5,840 effects, 51 parked, 2,317 faults struck, goals 3/3, cells 31/33',
    )
  })

  test('does not count goals that cannot be reached, and counts missed ones', () => {
    const goals = { 'a-request-was-lost': 0, 'a-lease-was-taken-over': 'n/a', 'a-reply-was-lost': 7 } as const
    expect(pairLine(pair({ goals }), plain)).toContain('goals 1/2')
  })

  test('tells an expected break from an unexpected one', () => {
    expect(pairLine(broken({ expect: 'broken' }), plain)).toContain('(as expected)')
    expect(pairLine(broken(), plain)).not.toContain('(as expected)')
  })

  test('has colours only where they are asked for', () => {
    expect(pairLine(pair(), { colours: true })).toContain('\u001b[32m')
    expect(pairLines(broken(), plain).join('')).not.toContain('\u001b')
  })
})

describe('what follows the line', () => {
  test('a violation: its story, and the replay command on a line of its own', () => {
    const lines = pairLines(broken(), plain)
    expect(lines).toContain(
      '    at-most-once: repeat-after-crash  seed 7, run 312, shrunk to 1 fault and 27 events'.slice(2),
    )
    expect(lines).toContain('     98.3 ms  fault: consumer-2 is killed before its effect is applied')
    expect(lines).toContain('replay: pnpm sim replay op1_Zm9vYmFyYmF6cXV4')
  })

  test('an unknown verdict: why', () => {
    const unknown = pair({ verdict: 'unknown', reason: 'in 2000 runs never reached: a-request-was-lost' })
    expect(pairLines(unknown, plain)).toContain('          in 2000 runs never reached: a-request-was-lost')
    expect(pairLines(pair(), plain)).toHaveLength(1)
  })
})

describe('the control', () => {
  test('broke, as it must, and is told with one story', () => {
    const lines = controlLines(broken({ violations: [violation(), violation({ kind: 'duplicate' })] }), plain)
    expect(lines[0]).toBe('control: 001-get-set broke, as it must (2,000 runs of crash-mid-logic)')
    expect(lines.filter((line) => line.startsWith('replay: '))).toHaveLength(1)
  })

  test('survived, and with it every pass is worthless', () => {
    expect(controlLines(pair({ implementation: '001-get-set' }), plain)).toEqual([
      expect.stringContaining('did not break in 2,000 runs; the harness cannot be trusted'),
    ])
  })
})

test('the last line counts verdicts and says what they came to', () => {
  const line = summaryLine(results({ pairs: [pair(), broken()], exitCode: 1 }), plain)
  expect(line).toBe('2 pairs: 1 pass, 1 violated; an invariant is violated (seed 7)')
  expect(summaryLine(results({ pairs: [], exitCode: 130 }), plain)).toBe(
    '0 pairs: none; interrupted: this is what was found so far (seed 7)',
  )
})
