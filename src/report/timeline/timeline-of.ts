/** The picture of one filmed run, as data: `Timeline` of the contract. */

import type { History } from '../../contract/api/history.ts'
import { indexHistory } from '../../contract/api/history-index.ts'
import type { Violation } from '../../contract/api/verdict.ts'
import type { Film, FilmedRun } from '../../contract/results/film.ts'
import { keysNamedIn } from '../../contract/results/keys-named-in.ts'
import type { ClockReading, StoredKey, Timeline } from '../../contract/results/timeline.ts'
import { visible } from '../../contract/results/visible.ts'
import { bandsOf } from './bands.ts'
import { handlingBars, leaseBars, recordBars, roleBars } from './bars.ts'
import { beliefsOf } from './beliefs.ts'
import { worldUs } from './clock-time.ts'
import { eventsOf } from './events.ts'
import { Lanes } from './lanes.ts'
import { sentinelsMatter, withSentinels } from './sentinels.ts'
import { type Telling, tellingOf, tellingOfKey } from './telling.ts'
import { waysOf } from './ways.ts'

/** Of a run that breaks, beside what `tellStory` said of it. */
export function drawViolation(run: FilmedRun, violation: Violation, story: readonly string[]): Timeline {
  return timelineOf(run, violation.key, tellingOf(run.history, violation, story))
}

/** Of a run that holds, with the same key in view. */
export function drawNeighbour(run: FilmedRun, key: string | null): Timeline {
  return timelineOf(run, key, tellingOfKey(run.history, key))
}

function timelineOf({ history, film }: FilmedRun, key: string | null, telling: Telling): Timeline {
  const lanes = new Lanes(film, sentinelsMatter(history, film))
  const endUs = history.events.at(-1)?.atUs ?? 0
  const clocks = film.clocks.flatMap(({ machine, ...reading }) => {
    const lane = lanes.of(machine)
    return lane === null ? [] : [{ ...reading, lane }]
  })
  const keys = storedKeys(film, clocks, lanes, endUs)
  const ofInterest = keysOfInterest(keys, history, key)
  const roles = roleBars(film, lanes, endUs)
  const handling = handlingBars(history, key, lanes, endUs)
  const leases = leaseBars(history, film, clocks, handling, lanes)
  const records = recordBars(keys, lanes, endUs)
  const { implementation, scenario, sink } = history.header
  const timeline: Timeline = {
    title: visible(`${implementation} under ${scenario}, ${sink} sink`),
    key: key === null ? null : visible(key),
    endUs,
    lanes: lanes.all,
    events: eventsOf(history, film, lanes, telling),
    scripts: film.scripts.map(({ name, body, statements }) => {
      return { name: visible(name), lines: body.trimEnd().split('\n').map(lineText), statements }
    }),
    ways: waysOf(history, film, lanes),
    bands: bandsOf(history, film, lanes, roles, endUs),
    bars: [...roles, ...handling, ...[...records, ...leases].filter((bar) => ofInterest(bar.key!))],
    keys,
    beliefs: beliefsOf(history, leases, lanes),
    clocks,
    folds: telling.folds,
    ending: telling.ending,
  }
  return withSentinels(timeline, film, lanes)
}

/** A line of a script as text of one line. */
const lineText = (line: string): string => visible(line.replace(/\r$/, '').replaceAll('\t', '  '))

function storedKeys(film: Film, clocks: readonly ClockReading[], lanes: Lanes, endUs: number): StoredKey[] {
  /** Who wrote a value under a key first. */
  const writers = new Map<string, number | null>()
  return film.keys.map(({ seq, atUs, node, key, value, expireAtMs, by }) => {
    const lane = lanes.of(node)!
    const local = expireAtMs === null ? null : (expireAtMs - film.beganMs) * 1000
    const untilUs = local === null ? null : worldUs(clocks, lane, { fromUs: atUs, endUs, local })
    const stored = { seq, atUs, lane, key: visible(key), value: value === null ? null : visible(value), untilUs }
    if (by !== undefined) writers.set(`${key} ${value}`, lanes.of(film.commands[by]!.process))
    const writer = writers.get(`${key} ${value}`) ?? null
    return value === null || writer === null ? stored : { ...stored, by: writer }
  })
}

/** Redis keys that are named after the one in view; all of them where none is. */
function keysOfInterest(keys: readonly StoredKey[], history: History, key: string | null): (name: string) => boolean {
  if (key === null) return () => true
  const published = indexHistory(history).of('published')
  const named = new Set(keys.flatMap((one) => (keysNamedIn(one.key, published).has(key) ? [one.key] : [])))
  return named.size === 0 ? () => true : (name) => named.has(name)
}
