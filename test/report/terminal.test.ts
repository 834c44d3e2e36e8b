import { describe, expect, test } from 'vitest'
import { rowsOf } from '../../src/report/screen-rows.ts'
import { pairLine, pairLines } from '../../src/report/terminal.ts'
import { broken, pair, replayed, violation } from './made-up-results.ts'

const plain = { colours: false }

describe('the line of a pair', () => {
  test('has the basis of the verdict', () => {
    expect(pairLine(pair(), plain).replace(/ +/g, ' ')).toBe(
      'pass reference × crash-mid-logic 2,000 runs, 51 dead-lettered, 2,317 faults, goals 3/3',
    )
  })

  test('names the sink unless it is plain, and fits in a row of a terminal if possible', () => {
    expect(pairLine(pair({ sink: 'keyed' }), plain)).toContain('reference × crash-mid-logic, keyed sink ')
    expect(rowsOf([pairLine(pair({ scenario: 'network-partition' }), plain)])).toBe(1)
  })

  test('excludes unreachable goals, and includes missed ones', () => {
    const goals = { 'a-request-was-lost': 0, 'a-lease-was-taken-over': 'n/a', 'a-reply-was-lost': 7 } as const
    expect(pairLine(pair({ goals }), plain)).toContain('goals 1/2')
  })

  test('distinguishes an expected violation from an unexpected one', () => {
    expect(pairLine(broken({ expect: 'broken' }), plain)).toContain('(as expected)')
    expect(pairLine(broken(), plain)).not.toContain('(as expected)')
  })

  test('has colors only on request', () => {
    expect(pairLine(pair(), { colours: true })).toContain('\u001b[32m')
    expect(pairLines(broken(), plain).join('')).not.toContain('\u001b')
  })
})

describe('the lines below it have', () => {
  test('the story of a violation, and the replay command on a separate line', () => {
    const lines = pairLines(broken(), plain)
    expect(lines).toContain(
      '    at-most-once: repeat-after-crash  seed 7, run 312, shrunk to 1 fault and 27 events'.slice(2),
    )
    expect(lines).toContain('     98.3 ms  fault: consumer-2 is killed before its effect is applied')
    expect(lines).toContain('replay: pnpm sim replay op2_Zm9vYmFyYmF6cXV4')
  })

  test('the cause if it is known, and nothing about shrinking if nothing was shrunk', () => {
    const lines = pairLines(broken({ violations: [replayed({ why: 'the process died' })] }), plain)
    expect(lines.slice(2, 4)).toEqual([
      '  at-most-once: repeat-after-crash  seed 7, run 312, 1 fault and 27 events',
      '    the process died',
    ])
  })

  test('no seed for the smallest order, which was neither drawn nor shrunk', () => {
    const lines = pairLines(broken({ violations: [violation({ explored: true })] }), plain)
    expect(lines).toContain('  at-most-once: repeat-after-crash  the smallest order, 1 fault and 27 events')
  })

  test('nothing if a finding reports it', () => {
    expect(pairLines(broken({ violations: [violation({ story: [] })] }), plain)).toHaveLength(1)
  })

  test('the reason of an unknown verdict', () => {
    const unknown = pair({ verdict: 'unknown', reason: 'not reached in 2000 runs: a-request-was-lost' })
    expect(pairLines(unknown, plain)).toContain('          not reached in 2000 runs: a-request-was-lost')
    expect(pairLines(pair(), plain)).toHaveLength(1)
  })
})
