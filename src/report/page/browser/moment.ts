/**
 * The state of a run at one event: the keys of each server, the beliefs of each process, and the
 * clocks that are wrong.
 */
import type { StoredKey, Timeline } from '../../../contract/results/timeline.ts'
import { beliefsOf } from './beliefs.ts'

export interface Stand {
  readonly lane: number
  readonly name: string
  /** The role of a server, as the server itself sees it. */
  readonly role: 'primary' | 'replica' | 'down' | null
  readonly keys: readonly (StoredKey & { readonly changed: boolean })[]
  readonly beliefs: readonly string[]
  /** How far the clock of the lane is ahead, in microseconds. */
  readonly aheadUs: number
}

/** The state of each lane. The broker and the sink have none. */
export function momentOf(timeline: Timeline, seq: number): Stand[] {
  const event = timeline.events[seq]
  const atUs = event?.atUs ?? 0
  const isPast = (one: { readonly seq: number; readonly atUs: number }) =>
    one.atUs < atUs || (one.atUs === atUs && one.seq <= seq)
  return timeline.lanes.flatMap(({ name, kind }, lane) => {
    if (kind !== 'consumer' && kind !== 'redis') return []
    const keys = new Map<string, StoredKey>()
    for (const stored of timeline.keys) if (stored.lane === lane && isPast(stored)) keys.set(stored.key, stored)
    const beliefs = new Map<string, string>()
    for (const { lane: of, about, text, ...when } of beliefsOf(timeline)) {
      if (of !== lane || !isPast(when)) continue
      beliefs.delete(about)
      if (text !== null) beliefs.set(about, text)
    }
    const there = [...keys.values()].filter(({ value, untilUs }) => value !== null && (untilUs ?? atUs + 1) > atUs)
    const reading = timeline.clocks.findLast((one) => one.lane === lane && one.atUs <= atUs)
    const aheadUs =
      reading === undefined
        ? 0
        : reading.aheadUs + Math.round(((atUs - reading.atUs) * (reading.pace - 1_000_000)) / 1_000_000)
    return [
      {
        ...{ lane, name, aheadUs, beliefs: [...beliefs.values()] },
        role: kind === 'redis' ? roleAt(timeline, lane, atUs) : null,
        keys: there.map((stored) => ({ ...stored, changed: stored.seq === seq })),
      },
    ]
  })
}

function roleAt({ bars }: Timeline, lane: number, atUs: number): Stand['role'] {
  const bar = bars.findLast(
    (one) => one.lane === lane && (one.kind === 'primary' || one.kind === 'replica') && one.fromUs <= atUs,
  )
  return bar === undefined || bar.untilUs < atUs ? 'down' : (bar.kind as 'primary' | 'replica')
}
