/** The first thing that a reader sees: what it all came to, in one sentence, and one more for the reason. */
import type { PairResult, Results } from '../../contract/results.ts'
import { worstFirst } from '../../contract/severity.ts'
import type { BuiltInName } from '../../contract/verdict.ts'
import { boundOf } from '../bound.ts'
import { counted, isAsExpected } from '../figures.ts'

export interface Headline {
  readonly tone: 'pass' | 'violated' | 'unknown' | 'error'
  readonly title: string
  readonly more: string
}

const list = (pairs: readonly PairResult[]): string => {
  const names = pairs.slice(0, 3).map(({ implementation, scenario }) => `${implementation} under ${scenario}`)
  return `${names.join(', ')}${pairs.length > 3 ? `, and ${pairs.length - 3} more` : ''}`
}

/** What the gravest violation amounts to. */
const titles: Readonly<Record<BuiltInName, string>> = {
  'at-most-once': 'A side effect can happen twice',
  'no-false-done': 'An answer can claim what did not happen',
  'no-lost-message': 'A message can be lost',
  'bounded-stall': 'A message can be put off for too long',
  'payload-bound': 'Another payload can pass for the first one',
  'same-result': 'A duplicate can get another result',
  'no-needless-park': 'A message can be parked without a cause',
  'no-immortal-keys': 'What it keeps in Redis can grow for ever',
}

function violatedHeadline(broken: readonly PairResult[], all: number, findings: number): Headline {
  const [gravest] = broken.flatMap(({ violations }) => violations).sort(worstFirst)
  const what = titles[gravest?.invariant as BuiltInName] ?? 'An invariant does not hold'
  const ways = findings === 0 ? '' : `${counted(findings, 'finding')}. `
  const many = broken.length === all ? counted(all, 'pair') : `${broken.length} of ${counted(all, 'pair')}`
  return { tone: 'violated', title: `${what}: ${many} violated`, more: `${ways}Violated: ${list(broken)}.` }
}

function calmHeadline(pairs: readonly PairResult[]): Headline {
  const held = pairs.filter(({ verdict }) => verdict === 'pass')
  const runs = held.reduce((sum, pair) => sum + pair.runs, 0)
  const effects = held.reduce((sum, pair) => sum + pair.effects, 0)
  if (held.length === 0)
    return {
      tone: 'pass',
      title: 'Every layer that was expected to break is broken',
      more: 'Each break has its story below.',
    }
  const rest = held.length < pairs.length ? ' Layers that were expected to break are broken.' : ''
  const more = `${counted(effects, 'effect')} in all, every goal reached, every invariant valid. ${boundOf(runs)}.${rest}`
  return { tone: 'pass', title: `No side effect happened twice in ${counted(runs, 'run')}`, more }
}

export function headlineOf({ pairs, findings, exitCode, interrupted, timings }: Results): Headline {
  const unexpected = pairs.filter((pair) => !isAsExpected(pair, pairs))
  // `run` asks whether layers hold: there a layer that breaks as its file expects ends with exit code 1 too.
  const surprising = unexpected.filter(({ verdict }) => verdict === 'violated')
  const asked = exitCode === 1 && surprising.length === 0 ? pairs : surprising
  const broken = asked.filter(({ verdict }) => verdict === 'violated')
  if (exitCode === 3) {
    const failed = pairs.find(({ verdict }) => verdict === 'error')?.reason
    const differs =
      timings.crosscheck?.verdict === 'disagrees' ? 'The simulated Redis differs from the real one.' : null
    const more = failed ?? differs ?? 'The control did not break, or a run could not be repeated.'
    return { tone: 'error', title: 'The harness failed: these verdicts cannot be trusted', more }
  }
  if (broken.length > 0) return violatedHeadline(broken, pairs.length, findings.length)
  if (interrupted || pairs.length === 0)
    return { tone: 'unknown', title: 'Interrupted', more: 'This is what was found so far.' }
  if (unexpected.length > 0) {
    const title = `No verdict on ${unexpected.length} of ${counted(pairs.length, 'pair')}`
    return { tone: 'unknown', title, more: `Neither passed nor violated as expected: ${list(unexpected)}.` }
  }
  return calmHeadline(pairs)
}
