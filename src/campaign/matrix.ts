/** Many layers × many scenarios × the sinks that they can use: what holds where, and what breaks it. */
import { type ExitCode, exitCodes, type PairResult } from '../contract/results.ts'
import { sinkKinds } from '../contract/sink.ts'
import { type CampaignOutcome, failureOf, runControl } from './campaign.ts'
import type { PairChoice, Surroundings } from './campaign-request.ts'
import { CoverageBook } from './coverage.ts'
import { type GatedPair, gateFailure, runGate } from './gate/gate.ts'
import { runCells } from './run-cells.ts'
import type { PairContext } from './run-pair.ts'

/** One cell: a layer, a scenario, a sink, and how many runs it may take. */
export interface MatrixCell {
  readonly choice: PairChoice
  /** What the layer calls itself; the choice has the name that it was found by. */
  readonly id: string
  readonly runs: number
}

export interface MatrixRequest extends PairContext {
  readonly cells: readonly MatrixCell[]
  readonly control: PairChoice
}

/**
 * A cell whose at-most-once is broken is done: what else may break there is another run's business.
 * @throws LoadError when a layer or a scenario cannot be used at all
 */
export async function runMatrix(request: MatrixRequest, around: Surroundings): Promise<CampaignOutcome> {
  const pairs: PairResult[] = []
  const gated: GatedPair[] = []
  const coverage = new CoverageBook()
  const cells = request.cells.map((cell) => ({ ...cell, until: 'at-most-once' }))
  await runCells(cells, request, around, ({ choice }, { pair, tally }) => {
    coverage.add(pair.implementation, tally)
    pairs.push(pair)
    gated.push({ choice, pair })
  })
  pairs.sort(inOrder)
  const gate = await runGate(gated, request.seed, around)
  const control = await runControl(request, around)
  const interrupted = around.bench.stopped()
  const harnessFailure = failureOf(pairs, control) ?? gateFailure(gate) ?? survivorOf(pairs)
  return {
    ...{
      bounded: 'runs',
      interrupted,
      pairs,
      control,
      findings: [],
      notRun: [],
      coverage: coverage.all(),
      harnessFailure,
      gate,
    },
    exitCode: interrupted ? exitCodes.interrupted : exitCodeOf(pairs, harnessFailure),
  }
}

/** A layer that declares itself broken, and broke nowhere: the declaration is wrong, or the harness is blind. */
function survivorOf(pairs: readonly PairResult[]): string | null {
  const declared = [...new Set(pairs.filter(({ expect }) => expect === 'broken').map(nameOf))]
  const survivor = declared.find((name) => !pairs.some((pair) => nameOf(pair) === name && pair.verdict === 'violated'))
  if (survivor === undefined) return null
  const ofIt = pairs.filter((pair) => nameOf(pair) === survivor)
  const runs = ofIt.reduce((sum, pair) => sum + pair.runs, 0)
  return `${survivor} declares that it is broken, and survived ${runs} runs of ${ofIt.length} cells: it is better than it says, or the harness is blind`
}

/**
 * DESIGN 9. A layer that declares itself broken need not break in every cell, nor reach every goal before it does; what
 * is not simulated leaves it unknown all the same.
 */
function exitCodeOf(pairs: readonly PairResult[], harnessFailure: string | null): ExitCode {
  if (harnessFailure !== null) return exitCodes.harness
  const held = pairs.filter(({ expect }) => expect === 'holds')
  if (held.some(({ verdict }) => verdict === 'violated')) return exitCodes.violated
  const unknown = held.some(({ verdict }) => verdict === 'unknown')
  const notSimulated = pairs.some(({ unsupportedCommands }) => unsupportedCommands.length > 0)
  return unknown || notSimulated ? exitCodes.unknown : exitCodes.ok
}

function nameOf({ implementation }: PairResult): string {
  return implementation
}

function inOrder(a: PairResult, b: PairResult): number {
  const [one, other] = [a, b].map(({ implementation, scenario, sink }) =>
    [implementation, scenario, sinkKinds.indexOf(sink)].join(' '),
  ) as [string, string]
  return one < other ? -1 : one > other ? 1 : 0
}
