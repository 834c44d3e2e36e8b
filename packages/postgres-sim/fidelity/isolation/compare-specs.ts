/**
 * Compares the results of PostgreSQL's isolation specifications on a real server and on the
 * simulated server.
 */
import type { Database } from '../../src/index.ts'
import { type Compared, compareSequence, type Difference } from '../compare-sequences.ts'
import { SimulatedTarget } from '../simulated-target.ts'
import type { Step, Target } from '../target.ts'
import { ordersOf } from './orders.ts'
import { parseSpec } from './spec.ts'
import { stepsOf } from './steps.ts'

export interface SpecResult {
  readonly name: string
  readonly alike: number
  /** Unsupported features, with the number of orders that need them. */
  readonly outside: ReadonlyMap<string, number>
  readonly differences: readonly Difference[]
}

/** Maximum number of orders for a specification that lists none. */
export const mostOrders = 60

export async function compareSpec(
  name: string,
  text: string,
  real: Target,
  sabotage?: (database: Database) => void,
): Promise<SpecResult> {
  const spec = parseSpec(text)
  const sessions = spec.sessions.length + 1
  const compare = (steps: readonly Step[]) => compareSequence(real, [], sessions, steps, sabotage)
  /**
   * Results by the steps up to and including the first unsupported one. Orders that share these
   * steps are compared once.
   */
  const cut = new Map<string, Compared>()
  const compareOrder = async (steps: readonly Step[]): Promise<Compared> => {
    const followed = await followedAlone(steps, sessions)
    if (followed === steps.length) return compare(steps)
    const beginning = steps.slice(0, followed)
    const key = JSON.stringify(beginning)
    const compared = cut.get(key) ?? (await compare(beginning))
    cut.set(key, compared)
    // With another wake-up order, the sessions may execute more of the steps.
    return compared.declined === null && compared.difference === null ? compare(steps) : compared
  }
  const outside = new Map<string, number>()
  const differences: Difference[] = []
  let alike = 0
  for (const order of ordersOf(spec, mostOrders)) {
    const { difference, declined } = await compareOrder(stepsOf(spec, order))
    if (difference) differences.push(difference)
    else if (declined === null) alike++
    else outside.set(declined, (outside.get(declined) ?? 0) + 1)
  }
  return { name, alike, outside, differences }
}

/**
 * Number of steps up to and including the first unsupported one, as the simulated server executes
 * them without the real server.
 */
async function followedAlone(steps: readonly Step[], sessions: number): Promise<number> {
  const target = new SimulatedTarget()
  await target.begin([], sessions)
  for (const [at, step] of steps.entries()) {
    const seen = await target.step(step)
    if (seen && Object.values(seen.answered).includes('unsupported')) return at + 1
  }
  return steps.length
}
