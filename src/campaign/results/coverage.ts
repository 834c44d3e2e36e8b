/**
 * The combined coverage of all runs of one layer: crash points, kinds of faults, lines of its
 * scripts.
 */
import { type CrashPoint, crashPointName, readCrashPoint } from '../../contract/api/crash-point.ts'
import { boundaries, commandBoundaries } from '../../contract/api/plan.ts'
import type { LayerCoverage, OpenCell } from '../../contract/results/results.ts'
import { nameOfScript } from '../../run/command-labels.ts'
import { faults } from '../../run/faults/index.ts'
import { emptyTally, mergeTally, type Tally } from '../tally/tally.ts'
import { cellsOf, neighboursOf } from './cells.ts'
import { slotsOf } from './slots.ts'

/** Merges the tallies of each layer. */
export class CoverageBook {
  readonly #tallies = new Map<string, Tally>()

  add(implementation: string, tally: Tally): void {
    let sum = this.#tallies.get(implementation)
    if (sum === undefined) this.#tallies.set(implementation, (sum = emptyTally()))
    mergeTally(sum, tally)
  }

  /** The coverage of all layers, sorted by implementation. */
  all(): LayerCoverage[] {
    return [...this.#tallies].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, tally]) => coverageOf(name, tally))
  }
}

function coverageOf(implementation: string, tally: Tally): LayerCoverage {
  const { passed, struck: covered } = cellsOf(tally)
  const missed = [...passed].filter((cell) => !covered.has(cell)).sort()
  const struck = [...tally.faults.keys()].sort()
  const neighbours = neighboursOf(tally)
  const slots = slotsOf(tally)
  return {
    implementation,
    cells: { covered: covered.size, total: passed.size, missed, unreached: unreached(passed) },
    ...(neighbours === undefined ? {} : { neighbours }),
    faults: { struck, never: [...faults.keys()].filter((kind) => !tally.faults.has(kind)).sort() },
    ...(slots === undefined ? {} : { slots }),
    ...scriptsOf(tally),
  }
}

/**
 * Every crash point that no run passed: combinations of a boundary, a known label, and a live or
 * expired lease.
 */
function unreached(passed: ReadonlySet<string>): OpenCell[] {
  const points = [...passed].map(readCrashPoint).filter((point) => point !== null)
  const labels = [...new Set(points.map(({ label }) => label))].filter((label) => label !== null).sort()
  const all: CrashPoint[] = boundaries.flatMap((boundary) =>
    (commandBoundaries.includes(boundary) ? labels : [null]).flatMap((label) =>
      (['live', 'expired'] as const).map((lease) => ({ boundary, label, lease })),
    ),
  )
  return all
    .filter((point) => !passed.has(crashPointName(point)))
    .map((point) => ({ cell: crashPointName(point), reason: whyUnreached(point, passed) }))
}

function whyUnreached(point: CrashPoint, passed: ReadonlySet<string>): string {
  const { boundary, label, lease } = point
  if (boundary === 'delivery-received' && lease === 'expired') return 'a new delivery holds no lease'
  const otherwise = passed.has(crashPointName({ ...point, lease: lease === 'live' ? 'expired' : 'live' }))
  if (otherwise) return `no run reached it with an ${lease} lease`
  if (label !== null && (boundary === 'command-unsent' || boundary === 'reply-received'))
    return 'the command always shares its packet with the previous one'
  return 'no run reached it'
}

function scriptsOf({ scripts }: Tally): Pick<LayerCoverage, 'scripts' | 'neverSent'> {
  const named = [...scripts.values()].map(({ body, executable, executed }) => {
    const texts = body.split('\n')
    const neverExecuted = executable
      .filter((line) => !executed.has(line))
      .map((line) => ({ line, text: (texts[line - 1] ?? '').trim() }))
    const script = nameOfScript(body) ?? texts.find((text) => text.trim() !== '')?.trim() ?? ''
    return { script, lines: executable.length, executed: executed.size, neverExecuted }
  })
  named.sort((a, b) => (a.script < b.script ? -1 : a.script > b.script ? 1 : a.lines - b.lines))
  return {
    scripts: named.filter(({ executed }) => executed > 0),
    neverSent: named.filter(({ executed }) => executed === 0).map(({ script }) => script),
  }
}
