import type { Database } from '../src/index.ts'
import { deadlockAtOnce, isDeadlockAtOnce } from './deadlock-at-once.ts'
import { SimulatedTarget } from './simulated-target.ts'
import type { Seen, Step, Target } from './target.ts'
import { textOf } from './text-of.ts'

export interface Difference {
  readonly steps: readonly Step[]
  /** The step after which the servers differed. */
  readonly at: number
  readonly real: string
  readonly simulated: string
}

/** Maximum number of wake-up orders to try. */
const mostOrders = 300

export interface Compared {
  readonly difference: Difference | null
  /**
   * Why the sequence was cut off: SQL that is not simulated, or sessions that run in parallel. Null
   * if it was not cut off.
   */
  readonly declined: string | null
  /** Number of statements that both servers executed. */
  readonly followed: number
}

/**
 * Plays a sequence on the real server and searches for a wake-up order with which the simulated
 * server gives the same answers.
 */
export async function compareSequence(
  real: Target,
  setup: readonly string[],
  sessions: number,
  steps: readonly Step[],
  sabotage?: (database: Database) => void,
): Promise<Compared> {
  const expected = await play(real, setup, sessions, steps)
  let best: Compared | null = null
  const queue: number[][] = [[]]
  for (let tried = 0; queue.length > 0 && tried < mostOrders; tried++) {
    const choices = queue.shift()!
    const target = new SimulatedTarget(choices, sabotage)
    const compared = await follow(target, setup, sessions, steps, expected)
    if (compared.difference === null && compared.declined !== deadlockAtOnce) return compared
    if (!best || isFarther(compared, best)) best = compared
    // The alternatives for each wake-up that this attempt chose by default are queued. Orders with
    // the fewest changes come first.
    for (let i = choices.length; i < target.asked.length; i++) {
      const calm = new Array(i - choices.length).fill(0)
      for (let other = 1; other < target.asked[i]!; other++) queue.push([...choices, ...calm, other])
    }
  }
  return best!
}

/**
 * True if `one` followed the real server farther. If both ended at the same step, the declined
 * attempt counts as farther, because it explains the difference of the other attempt.
 */
function isFarther(one: Compared, than: Compared): boolean {
  if (one.followed !== than.followed) return one.followed > than.followed
  return one.difference === null && than.difference !== null
}

async function play(
  target: Target,
  setup: readonly string[],
  sessions: number,
  steps: readonly Step[],
): Promise<(Seen | null)[]> {
  await target.begin(setup, sessions)
  const seen: (Seen | null)[] = []
  for (const step of steps) seen.push(await target.step(step))
  return seen
}

async function follow(
  target: SimulatedTarget,
  setup: readonly string[],
  sessions: number,
  steps: readonly Step[],
  expected: readonly (Seen | null)[],
): Promise<Compared> {
  await target.begin(setup, sessions)
  for (const [at, step] of steps.entries()) {
    const seen = await target.step(step)
    if (seen && Object.values(seen.answered).includes('unsupported')) {
      return { difference: null, declined: target.unsupported!, followed: at }
    }
    const [real, simulated] = [textOf(expected[at]!), textOf(seen)]
    if (real === simulated) continue
    const followed = at + 1
    if (isDeadlockAtOnce(expected, seen, steps, at)) return { difference: null, declined: deadlockAtOnce, followed }
    return { difference: { steps, at, real, simulated }, declined: null, followed }
  }
  return { difference: null, declined: null, followed: steps.length }
}

/** Removes the steps that the difference does not need. */
export async function minimise(
  difference: Difference,
  again: (steps: readonly Step[]) => Promise<Difference | null>,
): Promise<Difference> {
  let smallest = { ...difference, steps: difference.steps.slice(0, difference.at + 1) }
  for (let size = Math.ceil(smallest.steps.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < smallest.steps.length - 1; ) {
      const fewer = smallest.steps.filter((_, i) => i < from || i >= from + size)
      const found = fewer.length > 0 ? await again(fewer) : null
      if (found) smallest = { ...found, steps: found.steps.slice(0, found.at + 1) }
      else from += size
    }
  }
  return smallest
}
