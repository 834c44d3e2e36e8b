/**
 * A campaign as a terminal shows it. A layer that holds has a line for each scenario as it ends. One that breaks is
 * told at once, in one line, then with its first story; its other scenarios wait for the summary, so that all of it fits
 * on a screen. The end of the summary is the gravest finding, with the command that replays it.
 */
import type { PairResult, Results } from '../contract/results/results.ts'
import { acceptedLines } from './accepted-lines.ts'
import { firstStoryLines, firstViolationLine, type NamedViolation } from './break-lines.ts'
import { coverageLine, openCellLines, slotLines } from './coverage-lines.ts'
import { crosscheckLines } from './crosscheck.ts'
import { worstOf } from './figures.ts'
import { controlLine, notRunLines, summaryLine, unplayedSinkLines } from './last-lines.ts'
import { brokenLine, brokenLines, heldLines } from './layer-lines.ts'
import { layersOf } from './layers.ts'
import { rowsOf } from './screen-rows.ts'
import { pairLines, type TerminalOptions } from './terminal.ts'

/** `quiet`: the verdict, its replay command and what went wrong; `verbose`: every pair and every story. */
export type Detail = 'quiet' | 'usual' | 'verbose'

/** For all that is said of one broken layer. */
const screenRows = 60
/** What the summary of a layer takes, however much was said before it. */
const leastRows = 30
/** The last line, and the path of the report. */
const endRows = 2

/** The number of crash points that are named. */
const mostCells = { usual: 2, verbose: 8 }

export interface RunOutput {
  readonly detail: Detail
  /** Where lines go. */
  readonly say: (line: string) => void
  readonly options: TerminalOptions
  /** The file that has what is left out here. */
  readonly report: string
}

export class RunReport {
  #spentRows = 0
  readonly #broken = new Set<string>()
  readonly #leftOut: string[] = []

  constructor(private readonly output: RunOutput) {}

  /** What is worth a line, unless quiet is wanted. */
  readonly note = (line: string): void => this.#say([line])

  /** What cannot be played, and why: no verdict, so it is told when all verdicts are. */
  readonly leaves = (why: string): void => void this.#leftOut.push(why)

  /** The first of its layer, as it was drawn. */
  readonly firstViolation = (violation: NamedViolation): void => {
    if (this.#broken.has(layerOf(violation))) return
    this.#broken.add(layerOf(violation))
    this.#say([firstViolationLine(violation, this.output.options)])
  }

  /** Once it is small. */
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
    const waits = this.#broken.has(layerOf(pair)) && pair.verdict !== 'error'
    if (!waits || detail === 'verbose') this.#say(pairLines(pair, options))
  }

  /** Prints the end but for the report's path. Without a report, no line can refer to it. */
  conclude(results: Results, harnessFailure: string | null, isReportSaved = true): void {
    const { detail, options, say } = this.output
    if (detail === 'quiet') this.#concludeQuietly(results)
    else this.#conclude(results, isReportSaved ? detail : 'verbose')
    if (harnessFailure !== null) say(`the harness failed: ${harnessFailure}`)
    say(summaryLine(results, options))
  }

  #conclude(results: Results, detail: 'usual' | 'verbose'): void {
    const { options, report } = this.output
    const layers = layersOf(results)
    const held = layers.filter(({ breaks }) => breaks.length === 0)
    const broken = layers.filter(({ breaks }) => breaks.length > 0)
    this.#say(this.#leftOut)
    this.#say([...surroundings(results, detail, broken.length > 0, options)])
    this.#say(held.flatMap((layer) => heldLines(layer, options)))
    const left = broken.length * screenRows - this.#spentRows - endRows
    const rows = Math.max(leastRows, Math.floor(left / broken.length))
    for (const layer of broken)
      this.#say(brokenLines(layer, options, detail === 'verbose' ? { report } : { rows, report }))
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
    this.#spentRows += rowsOf(lines)
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
  // What was not reached matters to a pass; a layer that broke has other worries.
  const cells = isBroken && detail === 'usual' ? 0 : mostCells[detail]
  return [
    ...notRunLines(results),
    ...unplayedSinkLines(results),
    ...(control === null ? [] : [controlLine(control, options)]),
    ...coverage.flatMap((layer) => [
      coverageLine(layer),
      ...slotLines(layer),
      ...(cells === 0 ? [] : openCellLines(layer, cells)),
    ]),
    ...crosscheckLines(timings, detail === 'usual' ? 'short' : 'all'),
  ]
}

const layerOf = ({ implementation, sink }: Pick<PairResult, 'implementation' | 'sink'>): string =>
  `${implementation} ${sink}`
