/**
 * Prints pairs on a terminal: one line for each. Violations with separate stories are followed by
 * their replay commands.
 */
import picocolors from 'picocolors'
import type { PairResult, ViolationResult } from '../contract/results/results.ts'
import { visible } from '../contract/results/visible.ts'
import { counted, faultsStruck, goalFigures, grouped, isAsExpected, originText, sizeText } from './figures.ts'
import { storyLines } from './story-lines.ts'

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

/** The name of a pair: `reference × lost-reply`. A plain sink is not named. */
export function pairName({ implementation, scenario, sink }: Pick<PairResult, 'implementation' | 'scenario' | 'sink'>) {
  return `${implementation} × ${scenario}${sink === 'plain' ? '' : `, ${sink} sink`}`
}

/** `pass  reference × lost-reply  2,000 runs, 3 dead-lettered, 1,800 faults, goals 3/3` */
export function pairLine(pair: PairResult, options: TerminalOptions): string {
  const colours = picocolors.createColors(options.colours)
  const { reached, of } = goalFigures(pair)
  const accepted = new Set(pair.acceptedRisks?.flatMap(({ runs }) => runs)).size
  const figures = [
    counted(pair.runs, 'run'),
    `${grouped(pair.deadLettered)} dead-lettered`,
    counted(faultsStruck(pair), 'fault'),
    `goals ${reached}/${of}`,
    ...(accepted === 0 ? [] : [`${counted(accepted, 'run')} accepted`]),
  ]
  const expected = pair.verdict === 'violated' && isAsExpected(pair) ? '  (as expected)' : ''
  return `${verdictWord(pair, colours)}  ${pairName(pair).padEnd(32)}  ${colours.dim(figures.join(', '))}${expected}`
}

/** An empty line, the violation, its story, and the replay command on a separate line. */
function violationLines(violation: ViolationResult, options: TerminalOptions): string[] {
  const colours = picocolors.createColors(options.colours)
  const { invariant, kind, why, story, replay } = violation
  const shrunk = violation.shrunk === false || violation.explored ? '' : 'shrunk to '
  const size = `${originText(violation)}, ${shrunk}${sizeText(violation)}`
  return [
    '',
    `  ${colours.bold(colours.red(`${invariant}: ${kind}`))}  ${colours.dim(size)}`,
    ...(why === undefined ? [] : [`    ${why}`]),
    ...storyLines(story, options),
    `replay: ${replay}`,
  ]
}

/**
 * The line of a pair, the reason if the pair did not pass and no story gives it, and its stories.
 * Violations that a finding explains have no story here.
 */
export function pairLines(pair: PairResult, options: TerminalOptions): string[] {
  const why = pair.reason !== null && pair.violations.length === 0 ? [`          ${visible(pair.reason)}`] : []
  const own = pair.violations.filter(({ story }) => story.length > 0)
  const stories = own.flatMap((violation) => violationLines(violation, options))
  return [pairLine(pair, options), ...why, ...stories, ...(stories.length > 0 ? [''] : [])]
}
