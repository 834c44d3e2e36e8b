/**
 * Times in which nothing came of anything: messages are handed over and handed over again, commands and replies are lost. Each sort of
 * such a step is told once in a stretch of them, and how many more there were.
 */
import type { Violation } from '../contract/verdict.ts'
import { markOf } from './fold-repeats.ts'
import { eventsOf, type Step } from './story-steps.ts'

/** What stands for the steps that are left out. */
export interface Idle {
  /** The last event of the step before them that is told. */
  readonly afterSeq: number
  readonly steps: number
  /** When the last of them was. */
  readonly untilUs: number
}

const idle: ReadonlySet<string> = new Set([
  'delivered',
  'delivery-timed-out',
  'acknowledgement-lost',
  'request-lost',
  'reply-lost',
])

export function foldIdle(
  steps: readonly Step[],
  { events: showing }: Pick<Violation, 'events'>,
): { readonly steps: readonly Step[]; readonly idle: readonly Idle[] } {
  const kept: Step[] = []
  const folded: Idle[] = []
  for (let at = 0; at < steps.length; ) {
    const end = steps.findIndex((step, index) => index >= at && !isIdle(step, showing))
    const stretch = steps.slice(at, end === -1 ? steps.length : end)
    const told = stretch.filter(
      (step, index) => index === stretch.findIndex((other) => markOfOne(other) === markOfOne(step)),
    )
    const left = stretch.filter((step) => !told.includes(step))
    // One line less in exchange for one line more is nothing gained.
    kept.push(...(left.length > 1 ? told : stretch))
    if (left.length > 1)
      folded.push({ afterSeq: told.at(-1)!.event.seq, steps: left.length, untilUs: left.at(-1)!.event.atUs })
    at += stretch.length
    if (at < steps.length) kept.push(steps[at++]!)
  }
  return { steps: kept, idle: folded }
}

const isIdle = (step: Step, showing: readonly number[]): boolean =>
  idle.has(step.event.type) && eventsOf(step).length === 1 && !showing.includes(step.event.seq)

const markOfOne = ({ event }: Step): string | null => markOf(event)
