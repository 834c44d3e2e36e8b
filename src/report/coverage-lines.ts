/** Prints the combined coverage of a layer's runs on a terminal. */
import type { LayerCoverage, NeighbourCoverage, SlotsResult } from '../contract/results/results.ts'
import { visible } from '../contract/results/visible.ts'
import { counted, grouped, percent } from './figures.ts'

/**
 * A line such as `coverage: reference: crash points 58 of 61 (95 %), pairs of neighboring commands
 * 9 of 9 separated by a fault, 12 of 30 kinds of faults, script lines 100 of 100, 2 scripts not
 * sent`.
 */
export function coverageLine({ implementation, cells, neighbours, faults, scripts, neverSent }: LayerCoverage): string {
  const { covered, total } = cells
  const sum = (of: 'lines' | 'executed') => scripts.reduce((n, script) => n + script[of], 0)
  const lua = scripts.length === 0 ? '' : `, script lines ${grouped(sum('executed'))} of ${grouped(sum('lines'))}`
  const kinds = `${faults.struck.length} of ${counted(faults.struck.length + faults.never.length, 'kind')} of faults`
  const pairs = neighbours === undefined ? '' : `, ${pairsText(neighbours)}`
  const unsent = neverSent.length === 0 ? '' : `, ${counted(neverSent.length, 'script')} not sent`
  return `coverage: ${implementation}: crash points ${covered} of ${total} (${percent(covered, total)})${pairs}, ${kinds}${lua}${unsent}`
}

/** `pairs of neighboring commands 9 of 9 separated by a fault (by a pause 8)` */
export function pairsText({ total, separated, missed }: NeighbourCoverage): string {
  const { pause = null } = missed
  const paused = pause === null ? '' : `, ${total - pause.length} by a pause`
  return `pairs of neighboring commands ${separated} of ${total} separated by a fault${paused}`
}

/**
 * `cluster: 002-owner-token: 58 keys in 57 slots; commands by shard 34 %, 41 %, 25 %`. A second
 * line names a slot that contains most of the keys.
 */
export function slotLines({ implementation, slots: found }: LayerCoverage): string[] {
  if (found === undefined) return []
  const { keys, slots, commands, byShard, busiest } = found
  const shares = byShard.map((one) => percent(one, commands)).join(', ')
  const line = `cluster: ${implementation}: ${counted(keys, 'key')} in ${counted(slots, 'slot')}; commands by shard ${shares}`
  if (!isHot(found)) return [line]
  const what = busiest.tag === undefined ? `slot ${busiest.slot}` : `the hash tag ${visible(busiest.tag)}`
  const share = `${busiest.keys} of ${counted(keys, 'key')} and ${percent(busiest.commands, commands)} of the commands`
  return [line, `  hot: ${what} has ${share}, on shard ${busiest.shard}: more shards do not help`]
}

/** True if one slot contains most of the keys, and more keys than one message needs. */
const isHot = ({ keys, busiest }: SlotsResult): boolean => busiest.keys > 3 && 2 * busiest.keys > keys

/** Crash points, pairs and scripts that were not reached; at most `most` of each. */
export function openCellLines(
  { cells: { missed, unreached }, neighbours, neverSent }: LayerCoverage,
  most: number,
): string[] {
  const line = (title: string, items: readonly string[]) => {
    const more = items.length > most ? [`${items.length - most} more, in the report`] : []
    return items.length === 0 ? [] : [`  ${title}: ${[...items.slice(0, most), ...more].map(visible).join('; ')}`]
  }
  return [
    ...line('not crash-tested', missed),
    ...line('not separated by a pause', neighbours?.missed.pause ?? []),
    ...line(
      'not reached by any run',
      unreached.map(({ cell, reason }) => `${cell} (${reason})`),
    ),
    ...line('scripts not sent', neverSent),
  ]
}
