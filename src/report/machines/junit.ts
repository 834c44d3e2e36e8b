/**
 * Results as JUnit XML: a suite for each layer and sink, a test case for each scenario. It uses
 * only the subset that Jenkins, GitLab and others interpret in the same way:
 * https://github.com/testmoapp/junitxml. A case has at most one `failure`, because Jenkins reads
 * only one. The output does not depend on when or where the campaign ran.
 */
import type { PairResult, Results } from '../../contract/results/results.ts'
import { acceptedTexts } from '../accepted-lines.ts'
import { layerName } from '../layers.ts'
import { type Html, html } from '../page/html.ts'
import { type Asked, failuresOf, fixLines, nameOf, ruleOf, saidOf } from './failures.ts'

type Case = Pick<PairResult, 'implementation' | 'scenario' | 'sink'> & {
  /**
   * `failure`: the layer broke; `error`: there is no verdict; `skipped`: the pair was not played.
   */
  readonly ending: 'passed' | 'failure' | 'error' | 'skipped'
  readonly body: Html | null
}

export function junitXml(results: Results, asked: Asked): string {
  const cases = [
    ...results.pairs.map((pair) => caseOf(pair, results, asked)),
    ...results.notRun.map((pair) => ({ ...pair, ending: 'skipped' as const, body: html`<skipped/>` })),
    ...(results.control === null ? [] : [controlCase(results.control)]),
  ]
  const suites = [...new Set(cases.map(layerName))].map((name) => ({
    name,
    all: cases.filter((one) => layerName(one) === name),
  }))
  return html`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="onceproof" ${counts(cases)}>
${suites.map(({ name, all }) => html`<testsuite name="${name}" ${counts(all)}>\n${all.map(caseXml)}</testsuite>\n`)}</testsuites>
`.text
}

function counts(cases: readonly Case[]): Html {
  const n = (ending: Case['ending']) => cases.filter((one) => one.ending === ending).length
  return html`tests="${cases.length}" failures="${n('failure')}" errors="${n('error')}" skipped="${n('skipped')}"`
}

const caseXml = (one: Case): Html =>
  html`<testcase classname="${layerName(one)}" name="${one.scenario}">${one.body}</testcase>\n`

function caseOf(pair: PairResult, results: Results, asked: Asked): Case {
  const { implementation, scenario, sink, verdict, reason } = pair
  const name = { implementation, scenario, sink }
  if (verdict === 'unknown' || verdict === 'error')
    return { ...name, ending: 'error', body: html`<error type="${verdict}" message="${reason ?? 'no verdict'}"/>` }
  const failures = failuresOf(pair, results, asked)
  const [worst] = failures
  if (worst === undefined) return { ...name, ending: 'passed', body: acceptedBody(pair) }
  const reported = failures.map((one) =>
    [nameOf(one), saidOf(one), '', ...one.story, ...fixLines(one), `replay: ${one.replay}`].join('\n'),
  )
  if (failures.every(({ known }) => known === true))
    return { ...name, ending: 'skipped', body: html`<skipped message="${`in the baseline: ${saidOf(worst)}`}"/>` }
  const body = html`<failure type="${ruleOf(worst)}" message="${`${nameOf(worst)}: ${saidOf(worst)}`}">${reported.join('\n\n')}</failure>`
  return { ...name, ending: 'failure', body }
}

/** The body of a pass lists the risks that were accepted. */
function acceptedBody(pair: PairResult): Html | null {
  const accepted = acceptedTexts([pair])
  return accepted.length === 0
    ? null
    : html`<system-out>${accepted.map((text) => `accepted: ${text}`).join('\n')}</system-out>`
}

/** The control is a layer that must break. If it does not, the harness proves nothing. */
function controlCase({ implementation, sink, verdict }: PairResult): Case {
  const name = { implementation: `control: ${implementation}`, scenario: 'must break', sink }
  if (verdict === 'violated') return { ...name, ending: 'passed', body: null }
  const message = 'The control did not break. A harness that misses it proves nothing.'
  return { ...name, ending: 'error', body: html`<error type="harness" message="${message}"/>` }
}
