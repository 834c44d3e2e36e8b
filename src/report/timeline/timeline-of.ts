/** The picture of one traced run as data, of the contract's type `Timeline`. */

import type { History } from '../../contract/api/history.ts'
import { indexHistory } from '../../contract/api/history-index.ts'
import type { Violation } from '../../contract/api/verdict.ts'
import { keysNamedIn } from '../../contract/results/keys-named-in.ts'
import type { RunTrace, TracedRun } from '../../contract/results/run-trace.ts'
import type { ClockReading, StoredKey, Timeline } from '../../contract/results/timeline.ts'
import { visible } from '../../contract/results/visible.ts'
import { bandsOf } from './bands.ts'
import { handlingBars, leaseBars, recordBars, roleBars } from './bars.ts'
import { beliefsOf } from './beliefs.ts'
import { worldUs } from './clock-time.ts'
import { eventsOf } from './events.ts'
import { inFlightMessagesOf } from './in-flight-messages.ts'
import { Lanes } from './lanes.ts'
import { sentinelsMatter, withSentinels } from './sentinels.ts'
import { type StoryReport, storyReportOf, storyReportOfKey } from './story-report.ts'

/** The picture of a run that breaks. `story`: the lines of `reportStory` for the violation. */
export function drawViolation(run: TracedRun, violation: Violation, story: readonly string[]): Timeline {
  return timelineOf(run, violation.key, storyReportOf(run.history, violation, story))
}

/** The picture of a run that holds, about the given key. */
export function drawPassing(run: TracedRun, key: string | null): Timeline {
  return timelineOf(run, key, storyReportOfKey(run.history, key))
}

function timelineOf({ history, runTrace }: TracedRun, key: string | null, storyReport: StoryReport): Timeline {
  const lanes = new Lanes(runTrace, sentinelsMatter(history, runTrace))
  const endUs = history.events.at(-1)?.atUs ?? 0
  const clocks = runTrace.clocks.flatMap(({ machine, ...reading }) => {
    const lane = lanes.of(machine)
    return lane === null ? [] : [{ ...reading, lane }]
  })
  const keys = storedKeys(runTrace, clocks, lanes, endUs)
  const ofInterest = keysOfInterest(keys, history, key)
  const roles = roleBars(runTrace, lanes, endUs)
  const handling = handlingBars(history, key, lanes, endUs)
  const leases = leaseBars(history, runTrace, clocks, handling, lanes)
  const records = recordBars(keys, lanes, endUs)
  const { implementation, scenario, sink } = history.header
  const timeline: Timeline = {
    title: visible(`${implementation} under ${scenario}, ${sink} sink`),
    key: key === null ? null : visible(key),
    endUs,
    lanes: lanes.all,
    events: eventsOf(history, runTrace, lanes, storyReport),
    scripts: runTrace.scripts.map(({ name, body, statements }) => {
      return { name: visible(name), lines: body.trimEnd().split('\n').map(lineText), statements }
    }),
    messages: inFlightMessagesOf(history, runTrace, lanes),
    bands: bandsOf(history, runTrace, lanes, roles, endUs),
    bars: [...roles, ...handling, ...[...records, ...leases].filter((bar) => ofInterest(bar.key!))],
    keys,
    beliefs: beliefsOf(history, leases, lanes),
    clocks,
    folds: storyReport.folds,
    ending: storyReport.ending,
  }
  return withSentinels(timeline, runTrace, lanes)
}

/** A line of a script as a single line of text. */
const lineText = (line: string): string => visible(line.replace(/\r$/, '').replaceAll('\t', '  '))

function storedKeys(runTrace: RunTrace, clocks: readonly ClockReading[], lanes: Lanes, endUs: number): StoredKey[] {
  /** The lane that first wrote each value, by key and value. */
  const writers = new Map<string, number | null>()
  return runTrace.keys.map(({ seq, atUs, node, key, value, expireAtMs, by }) => {
    const lane = lanes.of(node)!
    const local = expireAtMs === null ? null : (expireAtMs - runTrace.beganMs) * 1000
    const untilUs = local === null ? null : worldUs(clocks, lane, { fromUs: atUs, endUs, local })
    const stored = { seq, atUs, lane, key: visible(key), value: value === null ? null : visible(value), untilUs }
    if (by !== undefined) writers.set(`${key} ${value}`, lanes.of(runTrace.commands[by]!.process))
    const writer = writers.get(`${key} ${value}`) ?? null
    return value === null || writer === null ? stored : { ...stored, by: writer }
  })
}

/**
 * Returns a predicate for Redis keys that are named after the key of the picture. If there are
 * none, it is true for all keys.
 */
function keysOfInterest(keys: readonly StoredKey[], history: History, key: string | null): (name: string) => boolean {
  if (key === null) return () => true
  const published = indexHistory(history).of('published')
  const named = new Set(keys.flatMap((one) => (keysNamedIn(one.key, published).has(key) ? [one.key] : [])))
  return named.size === 0 ? () => true : (name) => named.has(name)
}
