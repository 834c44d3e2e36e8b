/** Root causes of a layer on a terminal: the likeliest first, with the story of each. */
import picocolors from 'picocolors'
import { acceptsText } from '../contract/api/risk.ts'
import { positionText } from '../contract/api/source-position.ts'
import { launcher } from '../contract/results/launcher.ts'
import { usualBudgetMs } from '../contract/results/live-replay.ts'
import type { Finding, RootCause } from '../contract/results/results.ts'
import { shippedPage } from '../contract/results/shipped-page.ts'
import { aboutText } from '../contract/results/time-text.ts'
import { counted } from './figures.ts'
import { rowsOf, screenColumns } from './screen-rows.ts'
import { shortStory } from './short-story.ts'
import { storyLines } from './story-lines.ts'
import type { TerminalOptions } from './terminal.ts'

export interface RootCauseRoom extends TerminalOptions {
  /** The number of rows for all root causes together. Absent: unlimited. */
  readonly rows?: number
  /**
   * Options that follow the id in a command if there are several layers or the report is in another
   * folder.
   */
  readonly ofLayer: string
  /**
   * The option that selects the sink in a command for all root causes. Empty if the layer has
   * root causes with only one sink.
   */
  readonly ofSink: string
  /** True if there is no report, so that the commands need whole tokens. */
  readonly withTokens: boolean
}

interface Shown {
  readonly root: RootCause
  readonly example: Finding
  /** The scenarios in which the root cause was seen, those of the example first. */
  readonly seenIn: readonly string[]
  /** The number of steps of the example's story; 0 to omit the story. */
  readonly steps: number
  readonly hasWhy: boolean
  /** False to omit the replay command. */
  readonly hasCommand: boolean
}

const margin = '    '

/** The maximum number of steps of a story; smaller ones are tried if the room is short. */
const stepsToTry = [12, 10, 8, 6]

/**
 * If the room is short, the story gets shorter, then later root causes lose their sentence, and
 * last their command. `findings`: the findings of the layer and sink.
 */
export function rootCauseLines(
  roots: readonly RootCause[],
  findings: readonly Finding[],
  room: RootCauseRoom,
): string[] {
  const examples = roots.map((root) => findings.find(({ id }) => id === root.findings[0])!)
  const seenIn = roots.map((root) => scenariosOf(root, findings))
  const all = (steps: number, whys: number, commands = roots.length) =>
    roots.flatMap((root, at) => {
      const [hasWhy, hasCommand] = [at < whys, at < commands]
      const shown = { root, example: examples[at]!, seenIn: seenIn[at]! }
      return blockOf({ ...shown, steps: at === 0 ? steps : 0, hasWhy, hasCommand }, room)
    })
  const { rows: most = Number.POSITIVE_INFINITY } = room
  const last = room.withTokens || roots.length < 2 ? [] : liveLines(roots, room)
  const rows = most - rowsOf(last)
  for (let whys = roots.length; whys > 1; whys--)
    for (const steps of stepsToTry) {
      const lines = all(steps, whys)
      if (rowsOf(lines) <= rows) return [...lines, ...last]
    }
  const fewest = stepsToTry.at(-1)!
  for (let commands = roots.length; commands > 1; commands--) {
    const lines = all(fewest, 1, commands)
    if (rowsOf(lines) <= rows) return [...lines, ...last]
  }
  return [...all(fewest, 1, 1), ...last]
}

function scenariosOf(root: RootCause, findings: readonly Finding[]): string[] {
  const own = root.findings.flatMap((id) => findings.filter((one) => one.id === id))
  return [...new Set(own.flatMap(({ seenIn }) => seenIn.map(({ scenario }) => scenario)))]
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

function blockOf({ root, example, seenIn, steps, hasWhy, hasCommand }: Shown, room: RootCauseRoom): string[] {
  const { id, fix, instead } = root
  const place = example.sourceLine === undefined ? '' : `${positionText(example.sourceLine)}: `
  // The run holds without the facts of the risk, so a layer that accepts the risk is excused.
  // Acceptance is offered only for an assumption, not if a change of the layer is enough.
  const isOffered = example.acceptable !== undefined && root.assumes !== undefined
  const accept = !isOffered ? [] : wrapped(`Or accept it: ${acceptsText(example.acceptable!)}`)
  const replay = room.withTokens ? example.replay : `${launcher()} replay ${id}${room.ofLayer}`
  // The first root cause has a story; a later one has the scenarios in which it was seen.
  const commands = steps > 0 ? replayLines(replay, root, room) : [seenLine(replay, seenIn)]
  return [
    rootCauseLine(root, room),
    ...(hasWhy ? wrapped(`${place}${example.why}`) : []),
    ...(steps === 0 ? [] : storyLines(shortStory(example, steps), room, screenColumns, 'since the line before')),
    ...(fix === null ? [] : wrapped(`Fix: ${fix}`)),
    ...(fix === null || instead === undefined ? [] : [`${margin}Code: ${shippedPage(instead)}`]),
    ...accept,
    ...(room.withTokens ? [`replay: ${replay}`] : hasCommand ? commands : []),
  ]
}

/** As many names of scenarios as fit in the row: `Replay: …      Seen in eviction and 3 more`. */
function seenLine(replay: string, seenIn: readonly string[]): string {
  const command = `${margin}Replay: ${replay}`
  for (let named = seenIn.length; named > 0; named--) {
    const more = seenIn.length - named
    const line = `${command}      Seen in ${seenIn.slice(0, named).join(', ')}${more === 0 ? '' : ` and ${more} more`}`
    if (line.length <= screenColumns) return line
  }
  return command
}

/** The commands for the simulator and for real servers, on one row if both fit. */
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
 * The command that replays all root causes on real servers, with the number of runs that it makes
 * in its usual time, and each root cause without such a run: `… (6 in about 20 s); not 8: …`, where
 * 8 is an id.
 */
function liveLines(roots: readonly RootCause[], { ofLayer, ofSink }: RootCauseRoom): string[] {
  const asked = roots.flatMap(({ id, live }) => (live === undefined ? [] : [{ id, live }]))
  if (asked.length < 2) return []
  const made = asked.flatMap(({ live }) => ('ms' in live && live.ms <= usualBudgetMs ? [live.ms] : []))
  const about = made.length === 0 ? 'none' : `${made.length} in ${aboutText(made.reduce((sum, ms) => sum + ms, 0))}`
  const others = asked.flatMap(({ id, live }) => {
    if ('cannot' in live) return [`not ${id}: ${live.cannot}`]
    return live.ms <= usualBudgetMs ? [] : [`not ${id} (takes ${aboutText(live.ms)})`]
  })
  return wrapped(
    `All on real servers: ${[`${launcher()} replay-live --all${ofLayer}${ofSink} (${about})`, ...others].join('; ')}`,
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
