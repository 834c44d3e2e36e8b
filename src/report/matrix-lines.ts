/** Prints a matrix on a terminal: a block for each layer and sink, a line for each scenario. */
import picocolors from 'picocolors'
import { sinkKinds } from '../contract/api/sink.ts'
import type { Finding, PairResult, Results } from '../contract/results/results.ts'
import { breaksOf } from './break.ts'
import { reportedBreakLines } from './break-lines.ts'
import { counted, goalFigures, grouped, originText, worstOf } from './figures.ts'
import { brokenLine } from './layer-lines.ts'
import { layersOf } from './layers.ts'
import { requirementsOf } from './requirements.ts'
import type { TerminalOptions } from './terminal.ts'

/**
 * A line such as `✕ clock-skew   at-most-once: zombie (seed 1, run 3, 1 fault)`; the evidence if
 * the layer held.
 */
function cellLine(pair: PairResult, width: number, { colours }: TerminalOptions): string {
  const paint = picocolors.createColors(colours)
  const name = pair.scenario.padEnd(width)
  const found = worstOf(pair)
  if (pair.verdict === 'violated' && found !== undefined) {
    const { invariant, kind, faultCount } = found
    return `  ${paint.red('✕')} ${name}  ${invariant}: ${kind} ${paint.dim(`(${originText(found)}, ${counted(faultCount, 'fault')})`)}`
  }
  const { reached, of } = goalFigures(pair)
  const proved = `${counted(pair.runs, 'run')}, ${grouped(pair.effects)} effects, goals ${reached}/${of}`
  if (pair.verdict === 'pass') return `  ${paint.green('✓')} ${name}  holds: ${proved}`
  return `  ${paint.yellow('?')} ${name}  ${pair.verdict}: ${pair.reason ?? proved}`
}

/** The line of the smallest run of the worst violation. */
function worst(pairs: readonly PairResult[]): string[] {
  const found = pairs.flatMap((pair) => worstOf(pair) ?? [])
  const most = found.filter(({ invariant }) => invariant === 'at-most-once')
  const [smallest] = (most.length > 0 ? most : found).sort(
    (a, b) => a.faultCount - b.faultCount || a.eventCount - b.eventCount,
  )
  return smallest === undefined ? [] : [`  ${smallest.sentence}`, `replay: ${smallest.replay}`]
}

/** The lines of one layer, for all of its sinks. The report contains the token of every cell. */
export function layerLines(pairs: readonly PairResult[], options: TerminalOptions): string[] {
  const paint = picocolors.createColors(options.colours)
  const width = Math.max(...pairs.map(({ scenario }) => scenario.length))
  const sinks = sinkKinds.filter((kind) => pairs.some(({ sink }) => sink === kind))
  const blocks = sinks.flatMap((sink) => {
    const ofSink = pairs.filter((pair) => pair.sink === sink).sort((a, b) => (a.scenario < b.scenario ? -1 : 1))
    return [`  ${paint.dim(`${sink} sink`)}`, ...ofSink.map((pair) => cellLine(pair, width, options)), ...worst(ofSink)]
  })
  const [{ implementation } = { implementation: '' }] = pairs
  return [`${paint.bold(implementation)}: ${requirementsOf(pairs)}`, ...blocks, '']
}

/**
 * Every finding with its whole story; the most severe finding of a layer is last. A violation
 * without a finding is shown only in the block of its layer.
 */
export function findingLines({ findings }: Pick<Results, 'findings'>, options: TerminalOptions): string[] {
  const paint = picocolors.createColors(options.colours)
  const names = [...new Set(findings.map(layerOf))]
  return names.flatMap((name) => [
    paint.bold(name),
    ...breaksOf({ pairs: [], findings: findings.filter((finding) => layerOf(finding) === name) })
      .reverse()
      .flatMap((one) => [...reportedBreakLines(one, options), '']),
  ])
}

const layerOf = ({ implementation, sink }: Finding): string => `${implementation}, ${sink} sink`

/** One line and one replay command for each layer that broke although it should hold. */
export function surpriseLines(
  { pairs, findings, rootCauses }: Pick<Results, 'pairs' | 'findings' | 'rootCauses'>,
  options: TerminalOptions,
): string[] {
  const surprising = pairs.filter(({ expect }) => expect === 'holds')
  return layersOf({ pairs: surprising, findings, rootCauses }).flatMap((layer) => {
    const [worst] = layer.breaks
    return worst === undefined ? [] : [brokenLine(layer, options), `replay: ${worst.replay}`]
  })
}
