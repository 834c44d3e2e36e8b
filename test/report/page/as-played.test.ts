import { describe, expect, it } from 'vitest'
import { exitCodes } from '../../../src/contract/api/exit-codes.ts'
import type { ViolationResult } from '../../../src/contract/results/results.ts'
import { page } from '../../../src/report/page/page.ts'
import { broken, replayed, results, violation } from '../made-up-results.ts'

const reported = (one: ViolationResult) => {
  return page(results({ pairs: [broken({ violations: [one] })], findings: [], exitCode: exitCodes.violated }))
}

describe('a violation with its own story', () => {
  it('is shown as played if no smaller run was requested', () => {
    const text = reported(replayed())
    expect(text).toContain('plain sink. With 1 fault and ')
    expect(text).not.toContain('smaller run')
    expect(text).toContain('Seed 7, run 312 of ')
  })

  it('names the drawn run from which it was made', () => {
    const text = reported(replayed({ madeFrom: 'shrunk from run 5 of clock-skew, seed 7' }))
    expect(text).toContain('Shrunk from run 5 of clock-skew, seed 7, plain sink. With 1 fault')
  })

  it('is shown as not shrunk if the search for a smaller run failed', () => {
    const text = reported(violation({ shrunk: false }))
    expect(text).toContain('events; no smaller run was found.')
  })
})
