/** PostgreSQL's isolation specifications, played on a real server and on the simulated one. */
import type { Database } from '../../../src/sim/postgres/engine/index.ts'
import { compareSequence, type Difference } from '../compare-sequences.ts'
import { SimulatedTarget } from '../simulated-target.ts'
import type { Step, Target } from '../target.ts'
import { ordersOf } from './orders.ts'
import { type IsolationSpec, parseSpec } from './spec.ts'

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
  const orders = ordersOf(spec, mostOrders)
  const refused = await refusedSetup(spec, sessions)
  if (refused !== null) return { name, alike: 0, outside: new Map([[refused, orders.length]]), differences: [] }
  const outside = new Map<string, number>()
  const differences: Difference[] = []
  let alike = 0
  for (const order of orders) {
    const { difference, declined } = await compareSequence(real, [], sessions, stepsOf(spec, order), sabotage)
    if (difference) differences.push(difference)
    else if (declined === null) alike++
    else outside.set(declined, (outside.get(declined) ?? 0) + 1)
  }
  return { name, alike, outside, differences }
}

/** What is not simulated of what comes before every order: then there is nothing to ask the real server. */
async function refusedSetup(spec: IsolationSpec, sessions: number): Promise<string | null> {
  const target = new SimulatedTarget()
  await target.begin([], sessions)
  for (const step of setupOf(spec)) {
    await target.step(step)
    if (target.unsupported !== null) return target.unsupported
  }
  return null
}

const ownOf = ({ sessions }: IsolationSpec, which: 'setup' | 'teardown'): Step[] =>
  sessions.flatMap((one, at) => one[which].map((sql) => ({ session: at + 1, sql })))

const setupOf = (spec: IsolationSpec): Step[] => [
  ...spec.setup.map((sql) => ({ session: 0, sql })),
  ...ownOf(spec, 'setup'),
]

/** Text by text, as the specification has them: a session of its own for setup and teardown, and one for each of its sessions. */
export function stepsOf(spec: IsolationSpec, order: readonly string[]): readonly Step[] {
  const all = new Map(
    spec.sessions.flatMap(({ steps }, at) => steps.map(({ name, sql }) => [name, { session: at + 1, sql }] as const)),
  )
  const named = (name: string): Step => {
    const step = all.get(name)
    if (step === undefined) throw new Error(`there is no step ${name}`)
    return step
  }
  return [
    ...setupOf(spec),
    ...order.map(named),
    ...ownOf(spec, 'teardown'),
    ...spec.teardown.map((sql) => ({ session: 0, sql })),
  ]
}
