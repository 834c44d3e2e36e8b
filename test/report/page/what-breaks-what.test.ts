import { describe, expect, it } from 'vitest'
import { whatBreaksWhat } from '../../../src/report/page/what-breaks-what.ts'
import { broken, finding, pair, results, violation } from '../made-up-results.ts'

const pure = { onlyFaults: ['crash'] }
const crashes = broken({ ...pure, scenario: 'only-crashes', violations: [violation({ finding: 'F1' })] })
const pauses = pair({ ...pure, implementation: '001-get-set', scenario: 'only-pauses' })
const found = [finding('F1', { implementation: '001-get-set', why: 'the process <died>' })]

const reported = (pairs = [crashes, pauses]) => whatBreaksWhat(results({ pairs, findings: found }))?.text ?? null

describe('the table of what breaks what', () => {
  it('has a letter for a violation, with a link to the finding and its cause', () => {
    expect(reported()).toContain('<td class="grave"><a class="cell" href="#finding-001-get-set-plain-F1">')
    expect(reported()).toContain('<span aria-hidden="true">C</span>')
    expect(reported()).toContain('001-get-set under only-crashes: repeat-after-crash: the process &lt;died&gt;')
    expect(reported()).toContain('<li><b class="grave">C</b> effect twice: after a crash</li>')
  })

  it('has the number of runs that held, with a link to their basis', () => {
    expect(reported()).toContain('<td class="pass"><a class="cell" href="#pair-001-get-set-only-pauses-plain">')
    expect(reported()).toContain('001-get-set under only-pauses: held in 2,000 runs')
  })

  it('marks pairs that were not played or have no verdict', () => {
    const unknown = pair({ ...pure, scenario: 'only-pauses', verdict: 'unknown', reason: 'a goal was never reached' })
    expect(reported([crashes, unknown])).toContain('reference under only-pauses: a goal was never reached')
    expect(reported([crashes, unknown])).toContain('<span aria-hidden="true">·</span><span class="says">not run</span>')
  })

  it('charges a column only with violations that need its faults', () => {
    const faultless = violation({ finding: 'F1', needsNoFault: true })
    const stalled = violation({ invariant: 'bounded-stall', kind: 'retry-goes-on' })
    const alone = reported([{ ...crashes, violations: [faultless] }, pauses])
    expect(alone).toContain('<span aria-hidden="true">*</span>')
    expect(alone).toContain('under only-crashes: repeat-after-crash breaks without its faults')
    expect(alone).not.toContain('<span aria-hidden="true">C</span>')
    const both = reported([{ ...crashes, violations: [faultless, stalled] }, pauses])
    expect(both).toContain('<span aria-hidden="true">S</span>')
    expect(both).not.toContain('<span aria-hidden="true">*</span>')
  })

  it('is left out with fewer than two pure scenarios', () => {
    expect(reported([crashes])).toBeNull()
    expect(reported([crashes, pair({ scenario: 'everything' })])).toBeNull()
  })
})
