/** What one layer came to, for a terminal: a line for one that held, a screen for one that broke. */
import picocolors from 'picocolors'
import { invariantDoc } from '../check/docs.ts'
import type { PairResult } from '../contract/results/results.ts'
import { acceptedLines } from './accepted-lines.ts'
import { boundOf } from './bound.ts'
import { type Break, runsBroken } from './break.ts'
import { breakLines, briefLine, reportedBreakLines } from './break-lines.ts'
import { counted, grouped } from './figures.ts'
import { type LayerOutcome, layerName } from './layers.ts'
import { rowsOf, screenColumns } from './screen-rows.ts'
import type { TerminalOptions } from './terminal.ts'

export interface LayerRoom {
  /** Rows of a terminal; without, everything is printed. */
  readonly rows?: number
  /** The file that has what is left out. */
  readonly report: string
}

/** `reference: 0 of 4,750 runs violated: at most …`; what has no verdict is not counted. */
export function heldLines({ implementation, sink, pairs }: LayerOutcome, { colours }: TerminalOptions): string[] {
  const { green, yellow } = picocolors.createColors(colours)
  const held = pairs.filter(({ verdict }) => verdict === 'pass')
  const name = layerName({ implementation, sink })
  const open = openLine(pairs)
  const accepted = acceptedLines(pairs)
  if (held.length === 0) return [...open.map((line) => yellow(`${name}: ${line.trim()}`)), ...accepted]
  const where = `${counted(held.length, 'scenario')}, as they were played`
  return [green(`${name}: ${boundOf(runsOf(held))} (${where})`), ...open.map((line) => yellow(line)), ...accepted]
}

/** What broke, in how many scenarios and runs. */
export function brokenLine(
  { implementation, sink, pairs, breaks }: LayerOutcome,
  { colours }: TerminalOptions,
): string {
  const { red, bold } = picocolors.createColors(colours)
  const [worst] = breaks
  const broken = pairs.filter(({ verdict }) => verdict === 'violated')
  const runs = pairs.reduce((sum, pair) => sum + runsBroken(pair), 0)
  const what = worst === undefined ? 'violated' : invariantDoc(worst.cause.invariant).broken
  const much = `violated in ${broken.length} of ${counted(pairs.length, 'scenario')}, ${grouped(runs)} of ${counted(runsOf(pairs), 'run')}`
  const name = layerName({ implementation, sink })
  return bold(red(`${name}: ${what}; ${much}`))
}

/** Steps shown of the one story: as many as leave room for the other findings, and no fewer than the last. */
const stepsToTry = [16, 14, 12, 10, 8, 6]

/** The other findings, as many as there is room for; then the gravest, whose replay command is the last line. */
export function brokenLines(layer: LayerOutcome, options: TerminalOptions, { rows, report }: LayerRoom): string[] {
  const [worst, ...others] = layer.breaks
  const head = [
    '',
    brokenLine(layer, options),
    ...heldAmong(layer.pairs),
    ...openLine(layer.pairs),
    ...acceptedLines(layer.pairs),
  ]
  if (worst === undefined) return head
  if (rows === undefined) {
    const reported = [...others].reverse().flatMap((one) => [...reportedBreakLines(one, options), ''])
    return [...head, '', ...reported, ...unshrunkLine(layer), ...reportedBreakLines(worst, options)]
  }
  const end = (steps: number) => [...unshrunkLine(layer), '', ...reportedBreakLines(worst, options, steps)]
  const left = (steps: number) => rows - rowsOf(head) - rowsOf(end(steps))
  const needed = rowsOf(others.flatMap((one) => breakLines(one, options)))
  const steps = stepsToTry.find((n) => left(n) >= needed) ?? stepsToTry.at(-1)!
  return [...head, ...othersIn(left(steps), others, options, report), ...end(steps)]
}

/**
 * The gravest first; of those that are long, later ones may fit. What does not fit has its cause in a row, without its command,
 * and the last are only named.
 */
function othersIn(rows: number, others: readonly Break[], options: TerminalOptions, report: string): string[] {
  const all = others.map((one) => ({ one, lines: breakLines(one, options) }))
  if (rowsOf(all.flatMap(({ lines }) => lines)) <= rows) return all.flatMap(({ lines }) => lines)
  const reported: string[] = []
  const more: Break[] = []
  for (const { one, lines } of all) {
    if (rowsOf(reported) + rowsOf(lines) < rows) reported.push(...lines)
    else more.push(one)
  }
  const room = Math.max(0, rows - rowsOf(reported) - 1)
  const named = more.slice(room)
  return [
    ...reported,
    ...more.slice(0, room).map((one) => briefLine(one, options)),
    named.length === 0 ? `  the commands that replay these are in ${report}` : moreLine(named, report),
  ]
}

/** In one row. */
function moreLine(more: readonly Break[], report: string): string {
  const line = `  ${counted(more.length, 'more finding')} in ${report}`
  const names = more.map(({ id, cause }) => (id === null ? cause.kind : `${id} ${cause.kind}`))
  const room = names.findIndex((_, at) => line.length + names.slice(0, at + 1).join(', ').length + 5 > screenColumns)
  const shown = names.slice(0, room < 0 ? names.length : room)
  if (shown.length === 0) return line
  return `${line}: ${shown.join(', ')}${shown.length < names.length ? ', …' : ''}`
}

function unshrunkLine({ breaks }: LayerOutcome): string[] {
  const left = breaks.filter(({ shrunk }) => !shrunk)
  if (left.length === 0) return []
  const ids = left.flatMap(({ id }) => id ?? [])
  const names = ids.length === 0 || ids.length > 12 ? '' : `: ${ids.join(', ')}`
  return [`  ${left.length} of ${counted(breaks.length, 'finding')} not shrunk${names}`]
}

const heldAmong = (pairs: readonly PairResult[]): string[] => {
  const held = pairs.filter(({ verdict }) => verdict === 'pass')
  return held.length === 0 ? [] : [`  held in ${scenariosOf(held)}`]
}

function openLine(pairs: readonly PairResult[]): string[] {
  const open = pairs.filter(({ verdict }) => verdict === 'unknown' || verdict === 'error')
  return open.length === 0 ? [] : [`  no verdict in ${scenariosOf(open)}`]
}

/** The number of findings that are named. */
const named = 4

function scenariosOf(pairs: readonly PairResult[]): string {
  const names = pairs.slice(0, named).map(({ scenario }) => scenario)
  return `${names.join(', ')}${pairs.length > named ? ` and ${pairs.length - named} more` : ''}`
}

const runsOf = (pairs: readonly PairResult[]): number => pairs.reduce((sum, { runs }) => sum + runs, 0)
