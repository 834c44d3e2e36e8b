import { expect, it } from 'vitest'
import type { Finding, Results } from '../../src/contract/results/results.ts'
import { sinceLast } from '../../src/report/since-last.ts'
import { broken, finding, results } from './made-up-results.ts'

const kinds = { crash: 'repeat-after-crash', holder: 'zombie', stall: 'retry-goes-on' } as const

function campaign(found: readonly (keyof typeof kinds)[], changes: Partial<Finding> = {}): Results {
  const { implementation = '001-get-set' } = changes
  const findings = found.map((name, at) => {
    const cause = { ...finding('F1').cause, kind: kinds[name] }
    return finding(`F${at + 1}`, { implementation, cause, why: name, ...changes })
  })
  return results({ pairs: [broken({ implementation, violations: [] })], findings })
}

it('new, remaining and gone root causes are listed', () => {
  expect(sinceLast(campaign(['crash', 'stall']), campaign(['crash', 'holder']))).toBe(
    'since the last report: new put-off; still there crash; gone slow-holder',
  )
})

it('nothing is listed without a last report, or for another layer', () => {
  expect(sinceLast(campaign(['crash']), null)).toBeNull()
  expect(sinceLast(campaign(['crash']), campaign(['holder'], { implementation: 'other' }))).toBeNull()
})

it('a root cause is not gone if its scenarios were not played again', () => {
  const elsewhere = campaign(['holder'], { seenIn: [{ scenario: 'eviction', runs: [1] }] })
  expect(sinceLast(campaign(['crash']), elsewhere)).toBe('since the last report: new crash')
})
