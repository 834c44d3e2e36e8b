/** Describes violations for a terminal, during the campaign and at its end. */
import picocolors from 'picocolors'
import type { Finding, PairResult, ViolationResult } from '../contract/results/results.ts'
import { withScriptNames } from '../contract/results/script-names.ts'
import { storyWithPage } from '../contract/results/shipped-page.ts'
import { acceptableText } from './accepted-lines.ts'
import { type Break, isSeenWhereReported, kindsText } from './break.ts'
import { counted, originText, sizeText } from './figures.ts'
import { screenColumns } from './screen-rows.ts'
import { endingOf, shortStory, storyOfSteps } from './short-story.ts'
import { storyLines } from './story-lines.ts'
import { pairName, type TerminalOptions } from './terminal.ts'

/** A violation with the names of its pair. `drawnIn`: as in a finding. */
export type NamedViolation = ViolationResult &
  Pick<PairResult, 'implementation' | 'scenario' | 'sink'> &
  Pick<Finding, 'drawnIn'>

/** The line that is printed as soon as a layer breaks, before the run is shrunk. */
export function firstViolationLine(violation: NamedViolation, options: TerminalOptions): string {
  const { red, bold } = picocolors.createColors(options.colours)
  const { invariant, kind } = violation
  return `${bold(red('violated'))}  ${pairName(violation)}: ${invariant}: ${kind} (${originText(violation)})`
}

/**
 * The maximum number of steps of the first story, because most of the screen belongs to the
 * summary.
 */
const firstSteps = 5

/**
 * The first violation of a campaign after its run was shrunk, with the outcome. The finding at the
 * end gives more detail.
 */
export function firstStoryLines(violation: NamedViolation, options: TerminalOptions): string[] {
  const { invariant, kind, story } = violation
  const { bold, red, dim } = picocolors.createColors(options.colours)
  const size = sizeOf({ ...violation, shrunk: violation.shrunk ?? true })
  const steps = shortStory({ story }, firstSteps)
  const [outcome] = endingOf(story)
  return [
    `  ${bold(red(`${invariant}: ${kind}`))}  ${dim(`${pairName(violation)}, ${size}`)}`,
    ...storyLines(
      [...steps, ...(outcome === undefined ? [] : [outcome])],
      options,
      screenColumns,
      'since the line before',
    ),
    '',
  ]
}

/**
 * `run 12 of seed 1, shrunk to 1 fault and 52 events`; for a run of another scenario, `from run 12
 * of clock-skew, seed 1, shrunk to …`; for an explored order, `the smallest order: …`.
 */
export function sizeOf({
  seed,
  run,
  drawnIn,
  shrunk,
  faultCount,
  eventCount,
  explored,
}: Pick<Break, 'seed' | 'run' | 'drawnIn' | 'shrunk' | 'faultCount' | 'eventCount' | 'explored'>): string {
  const size = sizeText({ faultCount, eventCount })
  if (explored) return `${originText({ seed, run, explored })}: ${size}`
  const from = drawnIn === undefined ? `run ${run} of seed ${seed}` : `from run ${run} of ${drawnIn}, seed ${seed}`
  return `${from}, ${shrunk ? `shrunk to ${size}` : `not shrunk: ${size}`}`
}

/**
 * A title such as `F2 at-most-once: zombie (its step needs pause)`. The layer may also break
 * without a pause, by another deciding step.
 */
export function titleOf(one: Break): string {
  const { id, cause } = one
  const { decidedBy, needs } = cause
  const needed = needs.length === 0 ? '' : ` (${decidedBy === null ? '' : 'its step '}needs ${needs.join(', ')})`
  return `${id === null ? '' : `${id}  `}${kindsText(one)}${needed}${knownText(one)}`
}

const knownText = ({ known }: Break): string => (known === true ? ', known' : '')

/** `in 3 scenarios, 120 runs` */
export function seenText({ seenIn, runs }: Break): string {
  return `in ${counted(seenIn.length, 'scenario')}, ${counted(runs, 'run')}`
}

const whyLine = ({ why }: Break): string[] => (why === null ? [] : [`    ${why}`])

/** A violation with its whole story, or with `steps` steps, each on one row of a screen. */
export function reportedBreakLines(one: Break, options: TerminalOptions, steps?: number): string[] {
  const { red, bold, dim } = picocolors.createColors(options.colours)
  const commands = one.cause.path.map((command) => withScriptNames(command, one.scripts))
  const decidedBy = one.cause.decidedBy && withScriptNames(one.cause.decidedBy, one.scripts)
  const path = commands.length === 0 ? '' : `; path: ${commands.join(', ')}`
  const elsewhere = isSeenWhereReported(one) ? '' : ' (cheaper to play than the original run)'
  const decided = decidedBy === null ? '' : `; decided by ${decidedBy}`
  const acceptable = acceptableText(one)
  const story = storyWithPage(one)
  return [
    `  ${bold(red(titleOf(one)))}  ${dim(seenText(one))}`,
    ...whyLine(one),
    dim(`    ${one.scenario}${elsewhere}, ${sizeOf(one)}${path}${decided}`),
    ...(one.asked ? [dim(`    ${one.asked}`)] : []),
    ...(steps === undefined
      ? storyLines(story, options)
      : storyLines(storyOfSteps(story, steps), options, screenColumns)),
    ...(acceptable === null ? [] : [`    ${acceptable}`]),
    ...(one.neighbour === undefined ? [] : [dim(`    nearest passing run: ${one.neighbour.what}`)]),
    `replay: ${one.replay}`,
  ]
}
