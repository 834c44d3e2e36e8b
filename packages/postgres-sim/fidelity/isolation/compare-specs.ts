/** PostgreSQL's isolation specifications, played on a real server and on the simulated one. */
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
  /** What the simulated server does not know, and in how many orders that came up. */
  readonly outside: ReadonlyMap<string, number>
  readonly differences: readonly Difference[]
}

/** Of a specification that lists no orders. */
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
  /** Orders that begin alike, up to what is not simulated, are one to ask. */
  const cut = new Map<string, Compared>()
  const compareOrder = async (steps: readonly Step[]): Promise<Compared> => {
    const followed = await followedAlone(steps, sessions)
    if (followed === steps.length) return compare(steps)
    const beginning = steps.slice(0, followed)
    const key = JSON.stringify(beginning)
    const compared = cut.get(key) ?? (await compare(beginning))
    cut.set(key, compared)
    // Sessions that went on in another order may get farther.
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

/** How many steps the simulated server takes by itself, up to one that it declines to answer. */
async function followedAlone(steps: readonly Step[], sessions: number): Promise<number> {
  const target = new SimulatedTarget()
  await target.begin([], sessions)
  for (const [at, step] of steps.entries()) {
    const seen = await target.step(step)
    if (seen && Object.values(seen.answered).includes('unsupported')) return at + 1
  }
  return steps.length
}
