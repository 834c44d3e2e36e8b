/** Root causes of a layer on a terminal: the likeliest first, with the story of each. */
import picocolors from 'picocolors'
import { acceptsText } from '../contract/api/risk.ts'
import { positionText } from '../contract/api/source-position.ts'
import { launcher } from '../contract/results/launcher.ts'
import { usualBudgetMs } from '../contract/results/live-replay.ts'
import type { Finding, RootCause } from '../contract/results/results.ts'
import { aboutText } from '../contract/results/time-text.ts'
import { counted } from './figures.ts'
import { rowsOf, screenColumns } from './screen-rows.ts'
import { shortStory } from './short-story.ts'
import { storyLines } from './story-lines.ts'
import type { TerminalOptions } from './terminal.ts'

export interface RootCauseRoom extends TerminalOptions {
  /** The number of rows for all root causes together. Absent: unlimited. */
  readonly rows?: number
  /** The options after the id in the replay command; empty if there is only one layer. */
  readonly ofLayer: string
  /** True if there is no report, so that the commands need whole tokens. */
  readonly withTokens: boolean
}

interface Shown {
  readonly root: RootCause
  readonly example: Finding
  /** The number of steps of the story; 0 to omit the story. */
  readonly steps: number
  readonly hasWhy: boolean
}

const margin = '    '

/**
 * The numbers of steps to try if there is too little room. After that, later root causes lose their
 * sentence.
 */
const stepsToTry = [12, 10, 8, 6]

/** `findings`: the findings of the layer and sink. */
export function rootCauseLines(
  roots: readonly RootCause[],
  findings: readonly Finding[],
  room: RootCauseRoom,
): string[] {
  const examples = roots.map((root) => findings.find(({ id }) => id === root.findings[0])!)
  const all = (steps: number, whys: number) =>
    roots.flatMap((root, at) =>
      blockOf({ root, example: examples[at]!, steps: at === 0 ? steps : 0, hasWhy: at < whys }, room),
    )
  const { rows: most = Number.POSITIVE_INFINITY } = room
  const last = room.withTokens || roots.length < 2 ? [] : liveLines(roots, room)
  const rows = most - rowsOf(last)
  for (let whys = roots.length; whys > 1; whys--)
    for (const steps of stepsToTry) {
      const lines = all(steps, whys)
      if (rowsOf(lines) <= rows) return [...lines, ...last]
    }
  return [...all(stepsToTry.at(-1)!, 1), ...last]
}

/** A line such as ` 1  A crash after the effect repeats the effect            256 runs, crash`. */
export function rootCauseLine(root: RootCause, { colours }: TerminalOptions): string {
  const { bold, red, yellow, dim } = picocolors.createColors(colours)
  const { id, title, assumes, known } = root
  const head = ` ${id.padEnd(2)} ${title}`
  const seen = `${seenText(root)}${known ? ', known' : ''}`
  const gap = ' '.repeat(Math.max(2, screenColumns - head.length - seen.length))
  return `${bold((assumes === undefined ? red : yellow)(head))}${gap}${dim(seen)}`
}

function blockOf({ root, example, steps, hasWhy }: Shown, room: RootCauseRoom): string[] {
  const { id, fix, instead } = root
  const place = example.sourceLine === undefined ? '' : `${positionText(example.sourceLine)}: `
  // Without the facts of the risk, the run holds, so a layer that accepts the risk is excused.
  const accept = example.acceptable === undefined ? [] : wrapped(`Or accept it: ${acceptsText(example.acceptable)}`)
  const replay = room.withTokens ? example.replay : `${launcher()} replay ${id}${room.ofLayer}`
  return [
    rootCauseLine(root, room),
    ...(hasWhy ? wrapped(`${place}${example.why}`) : []),
    ...(steps === 0 ? [] : storyLines(shortStory(example, steps), room, screenColumns, 'since the line before')),
    ...(fix === null ? [] : wrapped(`Fix: ${fix}`)),
    ...(fix === null || instead === undefined ? [] : [`${margin}Code: ${instead}`]),
    ...accept,
    ...(room.withTokens ? [`replay: ${replay}`] : steps === 0 ? [] : replayLines(replay, root, room)),
  ]
}

/** The replay commands for the simulator and for real servers, on one row if both fit. */
function replayLines(replay: string, { id, live }: RootCause, { ofLayer }: RootCauseRoom): string[] {
  const first = `${margin}Replay: ${replay}`
  if (live === undefined) return [first]
  const real =
    'cannot' in live
      ? `cannot be made: ${live.cannot}`
      : `${launcher()} replay-live ${id}${ofLayer} (${aboutText(live.ms)})`
  const both = `${first}      On real servers: ${real}`
  return both.length <= screenColumns ? [both] : [first, ...wrapped(`On real servers: ${real}`)]
}

/**
 * The command that makes the root causes on real servers, with those that it makes in its usual
 * time: `(6 in about 20 s); not 8: …`.
 */
function liveLines(roots: readonly RootCause[], { ofLayer }: RootCauseRoom): string[] {
  const asked = roots.flatMap(({ id, live }) => (live === undefined ? [] : [{ id, live }]))
  if (asked.length < 2) return []
  const made = asked.flatMap(({ live }) => ('ms' in live && live.ms <= usualBudgetMs ? [live.ms] : []))
  const about = made.length === 0 ? 'none' : `${made.length} in ${aboutText(made.reduce((sum, ms) => sum + ms, 0))}`
  const others = asked.flatMap(({ id, live }) => {
    if ('cannot' in live) return [`not ${id}: ${live.cannot}`]
    return live.ms <= usualBudgetMs ? [] : [`not ${id} (takes ${aboutText(live.ms)})`]
  })
  return wrapped(
    `All on real servers: ${[`${launcher()} replay-live --all${ofLayer} (${about})`, ...others].join('; ')}`,
  )
}

/** The number of runs, and the faults that the example needs: `256 runs, crash`. */
function seenText({ runs, triggers }: RootCause): string {
  const takes = triggers.length === 0 ? 'no fault needed' : triggers.join(', ')
  return `${counted(runs, 'run')}, ${takes}`
}

/** Wraps the text and never truncates it, because the last words may be decisive. */
function wrapped(text: string): string[] {
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1)!
    if (line !== '' && margin.length + line.length + 1 + word.length > screenColumns) lines.push(`  ${word}`)
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`
  }
  return lines.map((line) => `${margin}${line}`)
}
