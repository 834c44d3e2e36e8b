/**
 * The output of a campaign on a terminal. The first violation of a layer is printed at once, and
 * its story later. Everything else is printed in the summary, which fits on a screen.
 */
import type { SinkKind } from '../contract/api/sink.ts'
import type { PairResult, Results } from '../contract/results/results.ts'
import { acceptedLines } from './accepted-lines.ts'
import { firstStoryLines, firstViolationLine, type NamedViolation } from './break-lines.ts'
import { coverageLine, openCellLines, slotLines } from './coverage-lines.ts'
import { comparedTexts, crosscheckLines } from './crosscheck.ts'
import { worstOf } from './figures.ts'
import { controlLine, notRunLines, summaryLine, unplayedSinkLines, wrongLackLines } from './last-lines.ts'
import { brokenLine, brokenLines, heldLines, otherSinkLines } from './layer-lines.ts'
import { type LayerOutcome, layersOf } from './layers.ts'
import { pairLines, type TerminalOptions } from './terminal.ts'

/**
 * `quiet` prints the verdict, its replay command and errors; `verbose` prints every pair and every
 * story.
 */
export type Detail = 'quiet' | 'usual' | 'verbose'

/** The number of rows for a broken layer, not counting its first violation. */
const screenRows = 45
/** The number of rows for the checks, the last line and the path of the report. */
const endRows = 5

/**
 * The maximum numbers of crash points, pairs and scripts that `verbose` names. The counts include
 * all of them.
 */
const mostCells = 8

export interface RunOutput {
  readonly detail: Detail
  /** Prints a line. */
  readonly say: (line: string) => void
  readonly options: TerminalOptions
  /** The file that contains everything that is omitted on the terminal. */
  readonly report: string
  /**
   * ` --reports <folder>`, for printed commands that read the report; empty for the default folder.
   */
  readonly ofReports: string
}

export class RunReport {
  readonly #broken = new Set<string>()
  readonly #leftOut: string[] = []

  constructor(private readonly output: RunOutput) {}

  /** Prints a line, unless the output is quiet. */
  readonly note = (line: string): void => this.#say([line])

  /**
   * Records why a pair cannot be played. The reason is printed after all verdicts, because the pair
   * has none.
   */
  readonly leaves = (why: string): void => void this.#leftOut.push(why)

  /** Prints the first violation of a layer, in the run as it was drawn. */
  readonly firstViolation = (violation: NamedViolation): void => {
    if (this.#broken.has(layerOf(violation))) return
    this.#broken.add(layerOf(violation))
    this.#say([firstViolationLine(violation, this.output.options)])
  }

  /** Prints the story of the first violation, after its run was shrunk. */
  readonly firstStory = (violation: NamedViolation): void => {
    this.#say(firstStoryLines(violation, this.output.options))
  }

  readonly pairDone = (pair: PairResult): void => {
    const { options, detail } = this.output
    const first = worstOf(pair)
    if (first !== undefined) {
      const { implementation, scenario, sink } = pair
      this.firstViolation({ ...first, implementation, scenario, sink })
    }
    const isOpen = pair.verdict === 'error' || (pair.verdict === 'unknown' && !this.#broken.has(layerOf(pair)))
    if (isOpen || detail === 'verbose') this.#say(pairLines(pair, options))
  }

  /**
   * Prints the end of the output, except for the path of the report. If no report was saved, no
   * line refers to it.
   */
  conclude(results: Results, harnessFailure: string | null, isReportSaved = true): void {
    const { detail, options, say } = this.output
    if (detail === 'quiet') this.#concludeQuietly(results)
    else this.#conclude(results, isReportSaved ? detail : 'verbose')
    if (harnessFailure !== null) say(`the harness failed: ${harnessFailure}`)
    say(summaryLine(results, options))
  }

  #conclude(results: Results, detail: 'usual' | 'verbose'): void {
    const { options, ofReports } = this.output
    const layers = layersOf(results)
    const held = layers.filter(({ breaks }) => breaks.length === 0)
    const broken = layers.filter(({ breaks }) => breaks.length > 0)
    this.#say(held.flatMap((layer) => heldLines(layer, options)))
    const names = new Set(broken.map(({ implementation }) => implementation))
    for (const layer of broken) {
      const isOther = usualSinkOf(layers, layer) !== layer.sink
      const { implementation, sink } = layer
      const isOnSeveral = broken.some((other) => other.implementation === implementation && other.sink !== sink)
      const ofLayer = `${names.size > 1 ? ` --impl ${implementation}` : ''}${ofReports}`
      const ofSink = isOnSeveral ? ` --sink ${sink}` : ''
      const rows = detail === 'usual' ? { rows: screenRows - endRows } : {}
      if (isOther && detail === 'usual') this.#say(otherSinkLines(layer, options))
      else this.#say(brokenLines(layer, options, { ...rows, ofLayer, ofSink, withTokens: detail === 'verbose' }))
    }
    this.#say(['', ...this.#left(detail), ...surroundings(results, detail, broken.length > 0, options)])
  }

  #left(detail: 'usual' | 'verbose'): readonly string[] {
    if (detail === 'verbose' || this.#leftOut.length < 2) return this.#leftOut
    return [`skipped for ${this.#leftOut.length} reasons: scenarios that do not fit a layer (see --verbose)`]
  }

  #concludeQuietly(results: Results): void {
    const { options, say } = this.output
    if (results.control !== null && results.control.verdict !== 'violated') say(controlLine(results.control, options))
    for (const layer of layersOf(results)) {
      acceptedLines(layer.pairs).forEach(say)
      const [worst] = layer.breaks
      if (worst === undefined) continue
      say(brokenLine(layer, options))
      say(`replay: ${worst.replay}`)
    }
    crosscheckLines(results.timings, 'disagreements').forEach(say)
  }

  #say(lines: readonly string[]): void {
    if (this.output.detail === 'quiet') return
    for (const line of lines) this.output.say(line)
  }
}

function surroundings(
  results: Results,
  detail: 'usual' | 'verbose',
  isBroken: boolean,
  options: TerminalOptions,
): string[] {
  const { control, coverage, timings } = results
  const isShort = detail === 'usual'
  return [
    ...notRunLines(results),
    ...unplayedSinkLines(results),
    ...wrongLackLines(results),
    ...(isShort ? checkedLines(results) : []),
    ...(control === null || (isShort && control.verdict === 'violated') ? [] : [controlLine(control, options)]),
    // Coverage qualifies a pass, so it is omitted for layers that broke.
    ...(isBroken && isShort ? [] : coverage).flatMap((layer) => [
      coverageLine(layer),
      ...slotLines(layer),
      ...(isShort ? [] : openCellLines(layer, mostCells)),
    ]),
    ...crosscheckLines(timings, isShort ? 'disagreements' : 'all'),
  ]
}

/**
 * The sink on which the layer was played the most. Only few scenarios depend on the kind of sink.
 */
function usualSinkOf(layers: readonly LayerOutcome[], { implementation }: LayerOutcome): SinkKind {
  const own = layers.filter((layer) => layer.implementation === implementation)
  return own.sort((a, b) => b.pairs.length - a.pairs.length)[0]!.sink
}

/**
 * The checks that passed: `checked: the control broke as expected; Redis 7.0.15 agrees on 3,861
 * commands`.
 */
function checkedLines({ control, timings }: Results): string[] {
  const broke = control?.verdict === 'violated' ? ['the control broke as expected'] : []
  const checked = [...broke, ...comparedTexts(timings)]
  return checked.length === 0 ? [] : [`checked: ${checked.join('; ')}`]
}

const layerOf = ({ implementation, sink }: Pick<PairResult, 'implementation' | 'sink'>): string =>
  `${implementation} ${sink}`
