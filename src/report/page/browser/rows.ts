/** The rows of a picture from top to bottom: events, notes about folded events, and idle time. */
import type { Timeline, TimelineEvent } from '../../../contract/results/timeline.ts'

export type Detail = 'story' | 'all'

export type Row =
  | { readonly kind: 'event'; readonly event: TimelineEvent; readonly atUs: number }
  | { readonly kind: 'note'; readonly text: string; readonly atUs: number }
  /**
   * `atUs` of a note or of idle time is within the time that it represents, so that arrows of the
   * event before do not reach it.
   */
  | { readonly kind: 'idle'; readonly forUs: number; readonly atUs: number }

/** Idle time between two rows is folded if it is longer than this, in microseconds. */
const idleUs = 1_000_000

export function rowsOf({ events, folds }: Timeline, detail: Detail): Row[] {
  const shown = detail === 'all' ? events : events.filter(({ reported }) => reported)
  const notes = new Map<number, string[]>()
  if (detail === 'story')
    for (const { afterSeq, text } of folds) notes.set(afterSeq, [...(notes.get(afterSeq) ?? []), text])
  return shown.flatMap((event, at) => {
    const next = shown[at + 1]
    const forUs = next === undefined ? 0 : next.atUs - event.atUs
    const between = [
      ...(notes.get(event.seq) ?? []).map((text) => ({ kind: 'note', text }) as const),
      ...(forUs >= idleUs ? [{ kind: 'idle', forUs } as const] : []),
    ]
    const row: Row = { kind: 'event', event, atUs: event.atUs }
    const share = Math.floor(forUs / (between.length + 1))
    return [row, ...between.map((one, place) => ({ ...one, atUs: event.atUs + share * (place + 1) }))]
  })
}

/** The positions of rows: `ys` has the middle of each, in pixels from the top. */
export interface Placed {
  readonly times: readonly number[]
  readonly ys: readonly number[]
  readonly height: number
}

/**
 * The position of a moment, interpolated between the rows before and after it. If several rows have
 * that time, the position of the last one; with `begins`, of the first.
 */
export function yOf({ times, ys, height }: Placed, atUs: number, begins = false): number {
  const after = countUpTo(times, atUs)
  if (after === 0) return 0
  const before = after - 1
  if (times[before] === atUs) return ys[begins ? countUpTo(times, atUs - 1) : before]!
  if (after === times.length) return height
  const share = (atUs - times[before]!) / (times[after]! - times[before]!)
  return ys[before]! + share * (ys[after]! - ys[before]!)
}

/** The number of times that are at most `atUs`. `times` is sorted, in whole microseconds. */
export function countUpTo(times: readonly number[], atUs: number): number {
  let low = 0
  let high = times.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (times[middle]! <= atUs) low = middle + 1
    else high = middle
  }
  return low
}

/** A time of the run, as stories show it: `1146.0 ms`. */
export const timeText = (us: number): string => `${(us / 1000).toFixed(1)} ms`

/** A duration: `29.8 s`, `12.4 ms`. */
export function durationText(us: number): string {
  if (us >= 120_000_000) return `${(us / 60_000_000).toFixed(1)} min`
  return us >= 1_000_000 ? `${(us / 1_000_000).toFixed(1)} s` : `${(us / 1000).toFixed(1)} ms`
}
