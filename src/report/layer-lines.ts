/** The result of one layer on a terminal: a line if it held, a screen if it broke. */
import picocolors from 'picocolors'
import { invariantDoc } from '../check/docs.ts'
import type { ExploredLayer, Finding, PairResult } from '../contract/results/results.ts'
import { acceptedLines } from './accepted-lines.ts'
import { boundOf } from './bound.ts'
import { type Break, runsBroken } from './break.ts'
import { reportedBreakLines } from './break-lines.ts'
import { exploredText } from './explored-text.ts'
import { counted, grouped } from './figures.ts'
import { type LayerOutcome, layerName } from './layers.ts'
import { type RootCauseRoom, rootCauseLine, rootCauseLines } from './root-cause-lines.ts'
import { rowsOf } from './screen-rows.ts'
import type { TerminalOptions } from './terminal.ts'

export interface LayerRoom extends Pick<RootCauseRoom, 'ofLayer' | 'ofSink' | 'withTokens'> {
  /** Rows of the terminal. Absent: everything is printed. */
  readonly rows?: number
}

/**
 * Lines such as `reference: 0 of 4,750 runs broke: at most …`. Pairs without a verdict are not
 * counted.
 */
export function heldLines(
  { implementation, sink, pairs, explored }: LayerOutcome,
  { colours }: TerminalOptions,
): string[] {
  const { green, yellow } = picocolors.createColors(colours)
  const held = pairs.filter(({ verdict }) => verdict === 'pass')
  const name = layerName({ implementation, sink })
  const open = openLine(pairs)
  const below = [...(explored === undefined ? [] : [`  ${exploredText(explored)}`]), ...acceptedLines(pairs)]
  if (held.length === 0) return [...open.map((line) => yellow(`${name}: ${line.trim()}`)), ...below]
  const where = `${counted(held.length, 'scenario')} as played`
  return [green(`${name}: ${boundOf(runsOf(held))} (${where})`), ...open.map((line) => yellow(line)), ...below]
}

/** The line of a layer that broke, with the number of scenarios and runs in which it broke. */
export function brokenLine(
  { implementation, sink, pairs, breaks }: LayerOutcome,
  { colours }: TerminalOptions,
): string {
  const { red, bold } = picocolors.createColors(colours)
  const [worst] = breaks
  const broken = pairs.filter(({ verdict }) => verdict === 'violated')
  const runs = pairs.reduce((sum, pair) => sum + runsBroken(pair), 0)
  const what = worst === undefined ? 'violated' : invariantDoc(worst.cause.invariant).broken
  const much = `(${broken.length} of ${counted(pairs.length, 'scenario')}, ${grouped(runs)} of ${counted(runsOf(pairs), 'run')})`
  const name = layerName({ implementation, sink })
  return bold(red(`${name}: ${what} ${much}`))
}

/** The result on a sink other than the layer's usual one: a line for each root cause. */
export function otherSinkLines(layer: LayerOutcome, options: TerminalOptions): string[] {
  const brief = layer.rootCauses.map((root) => rootCauseLine(root, options))
  return ['', brokenLine(layer, options), '', ...brief]
}

/** The layer's root causes, the likeliest first, and then the scenarios in which the layer held. */
export function brokenLines(layer: LayerOutcome, options: TerminalOptions, room: LayerRoom): string[] {
  const { pairs, rootCauses, breaks } = layer
  const head = ['', brokenLine(layer, options), '', `  ${tallyOf(layer)}`, '']
  const { rows, ofLayer, ofSink, withTokens } = room
  const smallest = withTokens ? smallestLines(layer.explored) : []
  const tail = [...heldAmong(pairs), ...openLine(pairs), ...smallest, ...acceptedLines(pairs)]
  const left = rows === undefined ? {} : { rows: rows - rowsOf(head) - rowsOf(tail) }
  const findings = breaks.filter((one): one is Break & Finding => one.id !== null)
  const unexplained = breaks.filter(({ id }) => id === null).flatMap((one) => [...reportedBreakLines(one, options), ''])
  return [
    ...head,
    ...rootCauseLines(rootCauses, findings, { ...options, ...left, ofLayer, ofSink, withTokens }),
    ...unexplained,
    ...(tail.length === 0 ? [] : ['', ...tail]),
  ]
}

/**
 * The counts on one line: `5 things to change in the layer, 1 assumption about its environment; 27
 * variants in the report`.
 */
function tallyOf({ rootCauses, breaks }: LayerOutcome): string {
  const assumed = rootCauses.filter(({ assumes }) => assumes !== undefined).length
  const changes = rootCauses.length - assumed
  const variants = breaks.length - rootCauses.length
  const parts = [
    ...(changes === 0 ? [] : [`${counted(changes, 'thing')} to change in the layer`]),
    ...(assumed === 0 ? [] : [`${counted(assumed, 'assumption')} about its environment`]),
  ]
  return `${parts.join(', ')}${variants <= 0 ? '' : `; ${counted(variants, 'variant')} in the report`}`
}

const smallestLines = (explored: ExploredLayer | undefined): string[] =>
  explored?.smallest === undefined ? [] : [`  ${exploredText(explored)}`, `  replay: ${explored.smallest.replay}`]

const heldAmong = (pairs: readonly PairResult[]): string[] => {
  const held = pairs.filter(({ verdict }) => verdict === 'pass')
  return held.length === 0 ? [] : [`  held in ${scenariosOf(held)}`]
}

function openLine(pairs: readonly PairResult[]): string[] {
  const open = pairs.filter(({ verdict }) => verdict === 'unknown' || verdict === 'error')
  return open.length === 0 ? [] : [`  no verdict in ${scenariosOf(open)}`]
}

/** The maximum number of scenarios to name. */
const named = 4

function scenariosOf(pairs: readonly PairResult[]): string {
  const names = pairs.slice(0, named).map(({ scenario }) => scenario)
  return `${names.join(', ')}${pairs.length > named ? ` and ${pairs.length - named} more` : ''}`
}

const runsOf = (pairs: readonly PairResult[]): number => pairs.reduce((sum, { runs }) => sum + runs, 0)
