/** The headline of a page: the result in one sentence, and a second sentence with the reason. */

import { worstFirst } from '../../contract/api/severity.ts'
import type { BuiltInName } from '../../contract/api/verdict.ts'
import type { PairResult, Results } from '../../contract/results/results.ts'
import { boundOf } from '../bound.ts'
import { differingModel } from '../crosscheck.ts'
import { counted, goalFigures, isAsExpected, layersText } from '../figures.ts'

export interface Headline {
  readonly tone: 'pass' | 'expected' | 'violated' | 'unknown' | 'error'
  readonly title: string
  readonly more: string
}

const list = (pairs: readonly PairResult[]): string => {
  const names = pairs.slice(0, 3).map(({ implementation, scenario }) => `${implementation} under ${scenario}`)
  return `${names.join(', ')}${pairs.length > 3 ? `, and ${pairs.length - 3} more` : ''}`
}

/** The consequence of the most severe violation, as the title. */
const titles: Readonly<Record<BuiltInName, string>> = {
  'at-most-once': 'A side effect can happen twice',
  'no-false-done': 'An answer can claim what did not happen',
  'no-lost-message': 'A message can be lost',
  'bounded-stall': 'A message can be delayed for too long',
  'payload-bound': 'Another payload can be mistaken for the first one',
  'same-result': 'A duplicate can get another result',
  'no-needless-park': 'A message can be dead-lettered without a cause',
  'no-immortal-keys': 'Its data in Redis can grow without bound',
}

function brokenTitle(broken: readonly PairResult[], all: number): string {
  const [gravest] = broken.flatMap(({ violations }) => violations).sort(worstFirst)
  const what = titles[gravest?.invariant as BuiltInName] ?? 'An invariant does not hold'
  const many = broken.length === all ? counted(all, 'pair') : `${broken.length} of ${counted(all, 'pair')}`
  return `${what}: ${many} violated`
}

const findingsText = (findings: number): string => (findings === 0 ? '' : `${counted(findings, 'finding')}. `)

function violatedHeadline(broken: readonly PairResult[], all: number, findings: Results['findings']): Headline {
  const { length: known } = findings.filter((finding) => finding.known)
  const before = known === 0 ? '' : `In the baseline: ${known}. `
  const more = `${findingsText(findings.length)}${before}Violated: ${list(broken)}.`
  return { tone: 'violated', title: brokenTitle(broken, all), more }
}

/** The headline names an expected violation, too, because the layer does not hold. */
function expectedHeadline(broken: readonly PairResult[], pairs: readonly PairResult[], findings: number): Headline {
  const rest = pairs.filter(({ expect }) => expect === 'holds')
  const held = rest.length === 0 ? '' : ` ${layersText(rest)} held: ${heldText(rest)}`
  const more = `${findingsText(findings)}Expected to break, and broken: ${layersText(broken)}.${held}`
  return { tone: 'expected', title: `${brokenTitle(broken, pairs.length)}, as expected`, more }
}

function heldText(held: readonly PairResult[]): string {
  const effects = held.reduce((sum, pair) => sum + pair.effects, 0)
  const goals = held.some((pair) => goalFigures(pair).of > 0) ? ', every goal reached' : ''
  return `${counted(effects, 'effect')} in all${goals}, every invariant valid. ${boundOf(runsOf(held))}.`
}

const runsOf = (pairs: readonly PairResult[]): number => pairs.reduce((sum, pair) => sum + pair.runs, 0)

function calmHeadline(pairs: readonly PairResult[]): Headline {
  const title = `No side effect happened twice in ${counted(runsOf(pairs), 'run')}`
  return { tone: 'pass', title, more: heldText(pairs) }
}

export function headlineOf({ pairs, findings, exitCode, interrupted, timings }: Results): Headline {
  const unexpected = pairs.filter((pair) => !isAsExpected(pair, pairs))
  // `run` requires that every layer holds, so a layer that breaks as declared also ends it with
  // exit code 1.
  const surprising = unexpected.filter(({ verdict }) => verdict === 'violated')
  const asked = exitCode === 1 && surprising.length === 0 ? pairs : surprising
  const broken = asked.filter(({ verdict }) => verdict === 'violated')
  if (exitCode === 3) {
    const failed = pairs.find(({ verdict }) => verdict === 'error')?.reason
    const more = failed ?? differingModel(timings) ?? 'The control did not break, or a run was not repeatable.'
    return { tone: 'error', title: 'The harness failed: do not trust these verdicts', more }
  }
  if (broken.length > 0) return violatedHeadline(broken, pairs.length, findings)
  if (interrupted || pairs.length === 0)
    return { tone: 'unknown', title: 'Interrupted', more: 'These are the results so far.' }
  if (unexpected.length > 0) {
    const title = `No verdict on ${unexpected.length} of ${counted(pairs.length, 'pair')}`
    return { tone: 'unknown', title, more: `Neither passed nor violated as expected: ${list(unexpected)}.` }
  }
  const asExpected = pairs.filter(({ verdict }) => verdict === 'violated')
  return asExpected.length > 0 ? expectedHeadline(asExpected, pairs, findings.length) : calmHeadline(pairs)
}
