/** The last lines of a campaign: pairs that were left out, the control, and the result. */
import picocolors from 'picocolors'
import type { PairResult, Results } from '../contract/results/results.ts'
import { counted, layersText } from './figures.ts'
import { pairName, type TerminalOptions } from './terminal.ts'

/**
 * The result of the control on one line; its story is on the page. A control that survived is
 * printed in capitals, because then no other result counts.
 */
export function controlLine({ implementation, scenario, runs, verdict }: PairResult, options: TerminalOptions): string {
  const { bold, red } = picocolors.createColors(options.colours)
  const where = `${counted(runs, 'run')} of ${scenario}`
  return verdict === 'violated'
    ? `control: ${implementation} broke as expected (${where})`
    : bold(red(`CONTROL: ${implementation} DID NOT BREAK in ${where}: do not trust the harness`))
}

/** The maximum number of pairs to name. */
const named = 2

/** One line for all pairs that were left out and have no verdict. */
export function notRunLines({ notRun, interrupted }: Pick<Results, 'notRun' | 'interrupted'>): string[] {
  if (notRun.length === 0) return []
  const names = notRun.slice(0, named).map(pairName)
  const more = notRun.length > named ? ` and ${notRun.length - named} more` : ''
  const why = interrupted ? 'interrupted' : 'after the first violation'
  return [`not run: ${counted(notRun.length, 'pair')}, ${why}: ${names.join(', ')}${more}`]
}

/** One line for each layer that was not played on all sinks that it declares. */
export function unplayedSinkLines({ unplayedSinks = [] }: Pick<Results, 'unplayedSinks'>): string[] {
  return [...new Set(unplayedSinks.map(({ implementation }) => implementation))].map((name) => {
    const own = unplayedSinks.filter(({ implementation }) => implementation === name)
    const texts = own.map(
      ({ sink, scenarios, of }) => `on a ${sink} sink in ${scenarios} of ${counted(of, 'scenario')}`,
    )
    return `not played: ${name} ${texts.join(', ')} (play it with --sink ${own[0]!.sink})`
  })
}

/** One line for each layer that declares `lacks: ['dead-lettering']` and dead-letters. */
export function wrongLackLines({ pairs }: Pick<Results, 'pairs'>): string[] {
  const declared = pairs.filter(({ lacks = [] }) => lacks.includes('dead-lettering'))
  return [...new Set(declared.map(({ implementation }) => implementation))].flatMap((name) => {
    const own = pairs.filter(({ implementation }) => implementation === name)
    const n = own.reduce((sum, { deadLettered }) => sum + deadLettered, 0)
    const text = `${name} says that it lacks 'dead-lettering', but it dead-lettered ${counted(n, 'message')}`
    return n === 0 ? [] : [`declared: ${text} (remove that from its \`lacks\`)`]
  })
}

const endings: Record<number, string> = {
  0: 'every verdict is as expected',
  1: 'an invariant is violated',
  2: 'stopped early: results so far',
  3: 'the harness failed: do not trust its verdicts',
  4: 'no violation, but some verdicts are unknown',
  130: 'interrupted: results so far',
}

/** The last line: the counts of pairs and verdicts, and the result. */
export function summaryLine({ pairs, findings, notRun, exitCode, seed }: Results, options: TerminalOptions): string {
  const colours = picocolors.createColors(options.colours)
  const verdicts = (['pass', 'violated', 'unknown', 'error'] as const).flatMap((verdict) => {
    const n = pairs.filter((pair) => pair.verdict === verdict).length
    return n === 0 ? [] : [`${n} ${verdict}`]
  })
  const unplayed = notRun.length === 0 ? [] : [`${notRun.length} not run`]
  const broken = exitCode === 0 ? pairs.filter(({ verdict }) => verdict === 'violated') : []
  const { length: known } = findings.filter((finding) => finding.known)
  const how = known > 0 ? 'is in the baseline' : 'was expected to break'
  const expected = broken.length === 0 ? null : `what broke ${how} (${layersText(broken)})`
  const left = known > 0 && exitCode === 1 ? `; ${known} of ${counted(findings.length, 'finding')} known` : ''
  const ending = expected ?? endings[exitCode] ?? `exit ${exitCode}`
  const counts = [...verdicts, ...unplayed].join(', ') || 'none'
  const text = `${counted(pairs.length + notRun.length, 'pair')}: ${counts}; ${ending}${left} (seed ${seed})`
  return exitCode === 0 && expected === null
    ? colours.green(text)
    : exitCode === 1 || exitCode === 3
      ? colours.red(text)
      : colours.yellow(text)
}
