/** Results as lines for a terminal: one for each pair, then its stories, each with the command that replays it. */
import picocolors from 'picocolors'
import type { LayerCoverage, PairResult, Results, ViolationResult } from '../contract/results.ts'
import { counted, faultsStruck, goalFigures, grouped, isAsExpected, percent } from './figures.ts'

export interface TerminalOptions {
  readonly colours: boolean
}

type Colours = ReturnType<typeof picocolors.createColors>

function verdictWord(pair: PairResult, colours: Colours): string {
  const word = pair.verdict.padEnd(8)
  if (pair.verdict === 'unknown') return colours.yellow(word)
  if (pair.verdict === 'violated' && isAsExpected(pair)) return colours.yellow(word)
  return pair.verdict === 'pass' ? colours.green(word) : colours.red(word)
}

/** `pass      reference × lost-reply, plain sink   2,000 runs, 6,012 effects, 3 parked, …` */
export function pairLine(pair: PairResult, options: TerminalOptions): string {
  const colours = picocolors.createColors(options.colours)
  const { reached, of } = goalFigures(pair)
  const figures = [
    counted(pair.runs, 'run'),
    counted(pair.effects, 'effect'),
    `${grouped(pair.parked)} parked`,
    `${counted(faultsStruck(pair), 'fault')} struck`,
    `goals ${reached}/${of}`,
    `cells ${grouped(pair.cells.covered)}/${grouped(pair.cells.total)}`,
  ]
  const name = `${pair.implementation} × ${pair.scenario}, ${pair.sink} sink`
  const expected = pair.verdict === 'violated' && isAsExpected(pair) ? '  (as expected)' : ''
  return `${verdictWord(pair, colours)}  ${name.padEnd(44)}  ${colours.dim(figures.join(', '))}${expected}`
}

/** A blank line, what broke, its story, and the replay command on a line of its own. */
export function violationLines(violation: ViolationResult, options: TerminalOptions): string[] {
  const colours = picocolors.createColors(options.colours)
  const { invariant, kind, story, replay, seed, run, faultCount, eventCount } = violation
  // What happened on real servers is told as it was.
  const shrunk = replay.startsWith('pnpm sim live ') ? '' : 'shrunk to '
  const size = `seed ${seed}, run ${run}, ${shrunk}${counted(faultCount, 'fault')} and ${counted(eventCount, 'event')}`
  return [
    '',
    `  ${colours.bold(colours.red(`${invariant}: ${kind}`))}  ${colours.dim(size)}`,
    ...story.map((line) => `    ${isAboutFault(line) ? colours.yellow(line) : line}`),
    `replay: ${replay}`,
  ]
}

const isAboutFault = (line: string): boolean => /^ *[\d.]+ ms {2}(fault|healed): /.test(line)

/** The line of a pair, why it is no pass where no story says so, and its stories. */
export function pairLines(pair: PairResult, options: TerminalOptions): string[] {
  const why = pair.reason !== null && pair.violations.length === 0 ? [`          ${pair.reason}`] : []
  const stories = pair.violations.flatMap((violation) => violationLines(violation, options))
  return [pairLine(pair, options), ...why, ...stories, ...(stories.length > 0 ? [''] : [])]
}

/** `coverage: reference: crash points 58 of 61 (95 %), 12 of 30 kinds of faults, script lines 100 of 100` */
export function coverageLine({ implementation, cells, faults, scripts }: LayerCoverage): string {
  const { covered, total } = cells
  const sum = (of: 'lines' | 'executed') => scripts.reduce((n, script) => n + script[of], 0)
  const lua = scripts.length === 0 ? '' : `, script lines ${grouped(sum('executed'))} of ${grouped(sum('lines'))}`
  const kinds = `${faults.struck.length} of ${counted(faults.struck.length + faults.never.length, 'kind')} of faults struck`
  return `coverage: ${implementation}: crash points ${covered} of ${total} (${percent(covered, total)}), ${kinds}${lua}`
}

/** So many crash points are named on a terminal. */
const mostNamed = 8

/** What no crash struck, and what no run passed. */
export function openCellLines({ cells: { missed, unreached } }: LayerCoverage): string[] {
  const line = (title: string, items: readonly string[]) => {
    const more = items.length > mostNamed ? [`${items.length - mostNamed} more, in the report`] : []
    return items.length === 0 ? [] : [`  ${title}: ${[...items.slice(0, mostNamed), ...more].join('; ')}`]
  }
  return [
    ...line('passed, never struck', missed),
    ...line(
      'passed by no run',
      unreached.map(({ cell, reason }) => `${cell} (${reason})`),
    ),
  ]
}

/** The control must break: its first story shows that the harness can see. */
export function controlLines(control: PairResult, options: TerminalOptions): string[] {
  const [first] = control.violations
  const says =
    control.verdict === 'violated'
      ? `control: ${control.implementation} broke, as it must (${counted(control.runs, 'run')} of ${control.scenario})`
      : `control: ${control.implementation} did not break in ${counted(control.runs, 'run')}; the harness cannot be trusted`
  return [says, ...(first ? violationLines(first, options) : [])]
}

const endings: Record<number, string> = {
  0: 'every verdict is as expected',
  1: 'an invariant is violated',
  3: 'the harness failed: its verdicts cannot be trusted',
  4: 'some verdicts are unknown: no pass, and no violation',
  130: 'interrupted: this is what was found so far',
}

/** One last line: how many of what, and what it came to. */
export function summaryLine({ pairs, exitCode, seed }: Results, options: TerminalOptions): string {
  const colours = picocolors.createColors(options.colours)
  const verdicts = (['pass', 'violated', 'unknown', 'error'] as const).flatMap((verdict) => {
    const n = pairs.filter((pair) => pair.verdict === verdict).length
    return n === 0 ? [] : [`${n} ${verdict}`]
  })
  const ending = endings[exitCode] ?? `exit ${exitCode}`
  const text = `${counted(pairs.length, 'pair')}: ${verdicts.join(', ') || 'none'}; ${ending} (seed ${seed})`
  return exitCode === 0
    ? colours.green(text)
    : exitCode === 1 || exitCode === 3
      ? colours.red(text)
      : colours.yellow(text)
}
