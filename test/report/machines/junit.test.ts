import { describe, expect, it } from 'vitest'
import { annotations, stepSummary } from '../../../src/report/machines/github.ts'
import { junitXml } from '../../../src/report/machines/junit.ts'
import { sarifLog } from '../../../src/report/machines/sarif.ts'
import { broken, finding, pair, results, violation } from '../made-up-results.ts'

const found = results({
  exitCode: 1,
  pairs: [
    pair(),
    broken({ expect: 'broken', violations: [violation({ finding: 'F1' })] }),
    pair({ scenario: 'eviction', verdict: 'unknown', reason: 'a goal was never reached: <b> & more' }),
  ],
  findings: [finding('F1', { implementation: '001-get-set', story: ['1.0 ms  it ]]> happens', 'twice'] })],
  notRun: [{ implementation: 'reference', scenario: 'late-crash', sink: 'keyed' }],
})

describe('JUnit XML', () => {
  it('has a suite for each layer and sink, with the result of each pair', () => {
    const xml = junitXml(found, 'must-hold')
    expect(xml).toContain('<testsuites name="onceproof" tests="5" failures="1" errors="1" skipped="1">')
    expect(xml).toContain('<testsuite name="reference" tests="2" failures="0" errors="1" skipped="0">')
    expect(xml).toContain('<testcase classname="reference" name="crash-mid-logic"></testcase>')
    expect(xml).toContain('<testcase classname="reference, keyed sink" name="late-crash"><skipped/></testcase>')
    expect(xml).toContain('message="a goal was never reached: &lt;b&gt; &amp; more"')
    expect(xml).toContain(
      '1. A crash after the effect repeats the effect\nthe process died after it had sent the effect',
    )
    expect(xml).toContain('1.0 ms  it ]]&gt; happens')
  })

  it('has no failure for a layer that breaks as declared, if that is the criterion', () => {
    expect(junitXml(found, 'as-declared')).toContain('failures="0" errors="1" skipped="1">')
  })

  it('has no character that XML does not allow', () => {
    const odd = results({ pairs: [pair({ verdict: 'unknown', reason: 'a\u0000b\uffffc\ud800d' })] })
    const xml = junitXml(odd, 'must-hold')
    expect(xml).toContain('a\\x00b\\uffffc\\ud800d')
    expect(xml).not.toMatch(/[\u0000-\u0008\ufffe\uffff]/)
  })

  it('has an error if the control holds', () => {
    const xml = junitXml(results({ control: pair(), exitCode: 3 }), 'must-hold')
    expect(xml).toContain('<error type="harness" message="The control did not break.')
  })
})

describe('the output for GitHub', () => {
  it('has an annotation for each root cause, at its place if known', () => {
    const [at] = annotations(found, 'must-hold', () => ({ file: 'src/a,b.ts', line: 7 }))
    expect(at).toMatch(
      /^::error file=src\/a%2Cb\.ts,line=7,title=1\. A crash after the effect repeats the effect \(001-get-set\)::/,
    )
    expect(at).toMatch(/the process died .*%0Afix: Record the begin .*%0Athe effect of order-1 .*%0Areplay: /)
    expect(annotations(found, 'must-hold', () => null)[0]).toMatch(/^::error title=1\. A crash/)
    expect(annotations(found, 'as-declared', () => null)).toEqual([])
  })

  it('has a summary with causes, stories and verdicts that escapes Markdown of a layer', () => {
    const summary = stepSummary(found, 'must-hold')
    expect(summary).toContain('### 1. A crash after the effect repeats the effect')
    expect(summary).toContain('| 001-get-set | crash-mid-logic | plain | ✕ violated | 2,000 |')
    const odd = results({ pairs: [broken({ implementation: 'a|b<i>', violations: [violation({ finding: 'F1' })] })] })
    expect(stepSummary(odd, 'must-hold')).toContain('| a\\|b\\<i\\> |')
  })

  it('has no story that ends its own block early', () => {
    const nasty = results({
      ...found,
      findings: [finding('F1', { implementation: '001-get-set', story: ['`````', '<b>', '`````'] })],
    })
    expect(stepSummary(nasty, 'must-hold')).toContain('\n``````\n`````\n<b>\n`````\n')
    expect(stepSummary(found, 'must-hold')).toContain('\n```\n1.0 ms  it ]]> happens\n')
  })
})

describe('SARIF', () => {
  const locationOf = (place: { file: string; line: number } | null) => {
    const { runs } = sarifLog(found, 'must-hold', () => place) as {
      runs: [{ results: [{ locations: { physicalLocation: object }[] }] }]
    }
    return runs[0].results[0].locations
  }

  it('has a rule with remedy and fingerprint for each root cause, without variants', () => {
    const variant = finding('F2', { implementation: '001-get-set', rootCause: '1' })
    const rootCauses = found.rootCauses.map((root) => ({ ...root, findings: ['F1', 'F2'] }))
    const two = results({ ...found, rootCauses, findings: [...found.findings, variant] })
    const { runs } = sarifLog(two, 'must-hold', () => null) as {
      runs: [{ tool: { driver: { rules: object[] } }; results: { partialFingerprints: object }[] }]
    }
    expect(runs[0].tool.driver.rules).toMatchObject([
      { id: 'crash', shortDescription: { text: 'A crash after the effect repeats the effect' }, help: {} },
    ])
    expect(runs[0].results.map(({ partialFingerprints }) => partialFingerprints)).toEqual([
      { 'onceproofRootCause/v1': '["001-get-set","plain","crash"]' },
    ])
  })

  it('has places as URIs, whatever the file names', () => {
    expect(locationOf({ file: 'my src/50%#1.ts', line: 7 })).toEqual([
      { physicalLocation: { artifactLocation: { uri: 'my%20src/50%25%231.ts' }, region: { startLine: 7 } } },
    ])
  })

  it('has a place for every result, because GitHub refuses files without one', () => {
    expect(locationOf(null)).toMatchObject([{ physicalLocation: { artifactLocation: { uri: 'package.json' } } }])
  })
})
