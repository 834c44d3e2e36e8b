import { expect, it } from 'vitest'
import { acceptableText, acceptedTexts } from '../../src/report/accepted-lines.ts'
import { summaryLine } from '../../src/report/last-lines.ts'
import { heldLines } from '../../src/report/layer-lines.ts'
import { annotations, stepSummary } from '../../src/report/machines/github.ts'
import { junitXml } from '../../src/report/machines/junit.ts'
import { sarifLog } from '../../src/report/machines/sarif.ts'
import { page as pageOf } from '../../src/report/page/page.ts'
import { pairLine } from '../../src/report/terminal.ts'
import { broken, finding, pair, results, violation } from './made-up-results.ts'

const because = 'finance <reconciles>'
const way = { invariant: 'at-most-once', kind: 'repeat-after-loss:flush', key: 'k1', seed: 1, run: 3 } as const
const accepting = (runs: readonly number[], scenario: string) =>
  pair({
    scenario,
    acceptedRisks: [
      {
        ...{ what: 'redis-data-loss', because, runs },
        ways: runs.length === 0 ? [] : [{ ...way, token: null, replay: 'replay it', sentence: 'it was flushed' }],
      },
    ],
  })
const held = results({ pairs: [accepting([3, 9], 'eviction'), accepting([], 'lost-reply')], exitCode: 0 })

it('an accepted risk is shown with a pass: by layer, by pair, and for machines', () => {
  const line = `redis-data-loss explains 2 runs of eviction; because: ${because}`
  expect(acceptedTexts(held.pairs)).toEqual([line])
  expect(acceptedTexts([accepting([], 'lost-reply')])).toEqual([`redis-data-loss explains no run; because: ${because}`])
  const [{ implementation, sink }] = held.pairs as [(typeof held.pairs)[0]]
  const lines = heldLines({ implementation, sink, pairs: held.pairs, rootCauses: [], breaks: [] }, { colours: false })
  expect(lines).toContain(`  accepted: ${line}`)
  expect(pairLine(held.pairs[0]!, { colours: false })).toContain('2 runs accepted')
  expect(pairLine(held.pairs[1]!, { colours: false })).not.toContain('accepted')
  expect(junitXml(held, 'must-hold')).toContain('accepted: redis-data-loss explains 2 runs')
  expect(junitXml(held, 'must-hold')).toContain('failures="0"')
  expect(stepSummary(held, 'must-hold')).toContain('### Accepted\n- redis-data-loss explains 2 runs')
  const page = pageOf(held)
  expect(page).toContain('<h2 id="accepted">Accepted</h2>')
  expect(page).toContain('finance &lt;reconciles&gt;')
})

it('an accepted risk is dismissed in SARIF with its reason', () => {
  const { runs } = sarifLog(held, 'must-hold', () => null) as {
    runs: [{ results: { ruleId: string; suppressions: object[] }[] }]
  }
  expect(runs[0].results).toMatchObject([
    {
      ruleId: 'at-most-once/repeat-after-loss:flush',
      suppressions: [{ kind: 'external', status: 'accepted', justification: `redis-data-loss: ${because}` }],
    },
  ])
})

it('an accepted risk is offered only to a finding that it would excuse', () => {
  expect(acceptableText({ acceptable: ['sink-forgets'] })).toMatch(
    /accepts: \[\{ what: 'sink-forgets', because: '…' \}\]$/,
  )
  expect(acceptableText({})).toBeNull()
})

const known = (second: object) =>
  results({
    exitCode: 1,
    pairs: [broken({ violations: [violation({ finding: 'F1' }), violation({ finding: 'F2', kind: 'zombie' })] })],
    findings: [
      finding('F1', { implementation: '001-get-set', known: true }),
      finding('F2', { implementation: '001-get-set', ...second }),
    ],
  })

it('machine-readable reports fail only for new findings', () => {
  const all = known({ known: true })
  const some = known({})
  const places = () => null
  expect(junitXml(all, 'must-hold')).toContain('failures="0" errors="0" skipped="1"')
  expect(junitXml(some, 'must-hold')).toContain('failures="1"')
  expect(annotations(some, 'must-hold', places).map((line) => line.slice(0, 9))).toEqual(['::error t', '::notice '])
  expect(annotations(some, 'must-hold', places)[0]).toContain('title=2')
  expect(summaryLine(some, { colours: false })).toContain('an invariant is violated; 1 of 2 findings known')
  expect(summaryLine({ ...all, exitCode: 0 }, { colours: false })).toContain('what broke is in the baseline')
  const { runs } = sarifLog(some, 'must-hold', places) as { runs: [{ results: { baselineState?: string }[] }] }
  expect(runs[0].results.map(({ baselineState }) => baselineState)).toEqual([undefined, 'unchanged'])
})
