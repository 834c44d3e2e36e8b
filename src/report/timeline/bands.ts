import type { History } from '../../contract/api/history.ts'
import { type EventOf, indexHistory } from '../../contract/api/history-index.ts'
import type { RunTrace } from '../../contract/results/run-trace.ts'
import type { Band, Bar } from '../../contract/results/timeline.ts'
import { visible } from '../../contract/results/visible.ts'
import type { Lanes } from './lanes.ts'

/** Bands for lasting states of lanes: pauses, cut links, wrong clocks, machines that are down. */
export function bandsOf(
  history: History,
  runTrace: RunTrace,
  lanes: Lanes,
  roles: readonly Bar[],
  endUs: number,
): Band[] {
  return [
    ...faultBands(history, lanes, endUs),
    ...endedBands(history, lanes, endUs),
    ...downBands(runTrace, lanes, endUs),
    ...(runTrace.hasSeveralPrimaries ? [] : sharedRule(roles)),
  ].sort((a, b) => a.fromUs - b.fromUs || a.untilUs - b.untilUs)
}

/** The kinds of bands for lasting faults. Other faults have the kind `degraded`. */
export const bandKinds: Readonly<Record<string, Band['kind']>> = {
  pause: 'pause',
  partition: 'cut',
  'machine-cut-off': 'cut',
  'slow-link': 'cut',
  'dns-failure': 'cut',
  'clock-step': 'skew',
  'clock-drift': 'skew',
  'clock-frozen': 'skew',
}

/**
 * Faults without separate bands. Bands of machines that are down follow from the states of servers,
 * and bands of ended processes from the ends of processes.
 */
export const reportedOtherwise: ReadonlySet<string> = new Set([
  'crash',
  'machine-restart',
  'redis-restart',
  'machine-forgotten',
  'machine-added',
  'poison',
])

function faultBands(history: History, lanes: Lanes, endUs: number): Band[] {
  const reading = indexHistory(history)
  return reading.of('fault-struck').flatMap((struck) => {
    if (reportedOtherwise.has(struck.fault)) return []
    const healed = reading.of('fault-healed').find(({ index }) => index === struck.index)
    if (healed === undefined && !(struck.fault in bandKinds)) return []
    const untilUs = healed?.atUs ?? endUs
    const struckLanes = lanesOf(struck, lanes)
    if (untilUs === struck.atUs || struckLanes.length === 0) return []
    const text = visible(struck.sentence)
    return [{ kind: bandKinds[struck.fault] ?? 'degraded', lanes: struckLanes, fromUs: struck.atUs, untilUs, text }]
  })
}

function lanesOf({ process, node, sentence }: EventOf<'fault-struck'>, lanes: Lanes): number[] {
  const named = new Set([process, node].flatMap((name) => (name === undefined ? [] : (lanes.of(name) ?? []))))
  for (const lane of lanes.namedIn(sentence)) named.add(lane)
  return [...named].sort((a, b) => a - b)
}

/** Bands between the end of one incarnation of a consumer and the start of the next. */
function endedBands(history: History, lanes: Lanes, endUs: number): Band[] {
  const reading = indexHistory(history)
  return reading.of('process-ended').flatMap((ended) => {
    const lane = lanes.of(ended.process)
    if (lane === null) return []
    const next = reading.of('process-started').find(({ seq, process }) => seq > ended.seq && lanes.of(process) === lane)
    const text = `${ended.process} is gone`
    return [{ kind: 'down' as const, lanes: [lane], fromUs: ended.atUs, untilUs: next?.atUs ?? endUs, text }]
  })
}

function downBands({ roles }: RunTrace, lanes: Lanes, endUs: number): Band[] {
  return roles.flatMap((change, at) => {
    if (change.role !== 'down') return []
    const next = roles.slice(at + 1).find(({ node }) => node === change.node)
    const text = `${change.node} is down`
    return [
      {
        kind: 'down' as const,
        lanes: [lanes.of(change.node)!],
        fromUs: change.atUs,
        untilUs: next?.atUs ?? endUs,
        text,
      },
    ]
  })
}

/** Bands for periods in which several servers act as the primary. */
function sharedRule(roles: readonly Bar[]): Band[] {
  const rules = roles.filter(({ kind }) => kind === 'primary')
  const edges = [...new Set(rules.flatMap(({ fromUs, untilUs }) => [fromUs, untilUs]))].sort((a, b) => a - b)
  const bands: Band[] = []
  for (const [at, fromUs] of edges.entries()) {
    const untilUs = edges[at + 1] ?? fromUs
    const ruling = rules.filter((rule) => rule.fromUs <= fromUs && rule.untilUs > fromUs).map(({ lane }) => lane)
    if (ruling.length < 2 || untilUs === fromUs) continue
    const lanes = ruling.sort((a, b) => a - b)
    bands.push({ kind: 'two-primaries', lanes, fromUs, untilUs, text: `${lanes.length} primaries at once` })
  }
  return bands
}
