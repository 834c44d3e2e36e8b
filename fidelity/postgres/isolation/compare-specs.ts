/** PostgreSQL's isolation specifications, played on a real server and on the simulated one. */
import { type Database, parseSql } from '../../../src/sim/postgres/engine/index.ts'
import { compareSequence, type Difference } from '../compare-sequences.ts'
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
  const outside = new Map<string, number>()
  const differences: Difference[] = []
  let alike = 0
  for (const order of ordersOf(spec, mostOrders)) {
    const steps = stepsOf(spec, order)
    const { difference, declined } = await compareSequence(real, [], spec.sessions.length + 1, steps, sabotage)
    if (difference) differences.push(difference)
    else if (declined === null) alike++
    else outside.set(declined, (outside.get(declined) ?? 0) + 1)
  }
  return { name, alike, outside, differences }
}

/**
 * Statement by statement: a session of its own for the setup, then each session's setup, then the steps. How long a server waits before it looks for
 * a deadlock is the comparison's own.
 */
export function stepsOf({ setup, sessions }: IsolationSpec, order: readonly string[]): readonly Step[] {
  const asked = (session: number, texts: readonly string[]): Step[] =>
    texts.flatMap((text) => statementsOf(text)).map((sql) => ({ session, sql }))
  const all = new Map<string, Step[]>()
  for (const [at, { steps }] of sessions.entries())
    for (const { name, sql } of steps) all.set(name, asked(at + 1, [sql]))
  const named = (name: string) => {
    const steps = all.get(name)
    if (steps === undefined) throw new Error(`there is no step ${name}`)
    return steps
  }
  return [
    ...asked(0, setup),
    ...sessions.flatMap((session, at) => asked(at + 1, session.setup)),
    ...order.flatMap(named),
  ].filter(({ sql }) => !/^SET\s+(LOCAL\s+)?deadlock_timeout\b/i.test(sql))
}

/** One that is no SQL is a statement too: it has its error. */
function statementsOf(text: string): readonly string[] {
  try {
    return parseSql(text).map((one) => one.text)
  } catch {
    return [text]
  }
}
