import type { SinkKind } from '../../contract/api/sink.ts'
import { faults } from '../../run/faults/index.ts'
import type { Tally } from './tally.ts'

/**
 * A kind of fault may strike in few of the runs that plan it: the run ends before the fault's
 * moment, or the target exists only at times. In the catalogue, slow effects under `split-brain`
 * strike least often, in about one run of twelve. After this many runs without a strike, chance is
 * ruled out, and a pass would rest on a fault that never struck.
 */
const leastPlannedRuns = 100
/**
 * A lower limit for a fault that every run plans, because such a fault is the subject of the
 * scenario and strikes in most runs.
 */
const leastRunsIfAlwaysPlanned = 20

/**
 * A kind of fault that was planned often and never struck, with the reason, in one sentence; null
 * if every planned kind struck.
 */
export function faultWithoutTarget(
  tally: Pick<Tally, 'runs' | 'faults' | 'unstruck'>,
  sink: SinkKind = 'plain',
): string | null {
  // A scenario for all sinks also plans faults of other sinks.
  const ofOtherSinks = (kind: string, runs: number) =>
    sink === 'transactional' && faults.get(kind)?.ofRequests === true && runs < tally.runs
  const enough = (runs: number) => runs >= (runs === tally.runs ? leastRunsIfAlwaysPlanned : leastPlannedRuns)
  const idle = [...tally.unstruck].filter(
    ([kind, { runs }]) => !tally.faults.has(kind) && enough(runs) && !ofOtherSinks(kind, runs),
  )
  const [first] = idle.sort(([a], [b]) => (a < b ? -1 : 1))
  if (first === undefined) return null
  const [kind, { runs, cameUp }] = first
  const needs = faults.get(kind)?.needs
  const aimless =
    cameUp === 0 ? 'its trigger never fired' : `it needs ${needs}, which was missing when its trigger fired`
  const why = needs === undefined ? 'unknown fault' : aimless
  return `${kind} was planned in ${runs} runs and never happened: ${why}`
}
