/**
 * The orders of recorded facts that do not depend on the speed of the machine, and a simulated run
 * to compare them with.
 */
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { install } from 'virtual-node/runtime'
import type { HistoryEvent } from '../../src/contract/api/history.ts'
import type { Plan } from '../../src/contract/api/plan.ts'
import type { SinkKind } from '../../src/contract/api/sink.ts'
import { loadImplementation } from '../../src/sim/adapters/load-implementation.ts'
import { runWorld } from '../../src/sim/world.ts'

const folder = fileURLToPath(new URL('../../implementations/', import.meta.url))

/**
 * Types of facts by process, and by key of a message. Their orders do not depend on the speed of
 * the machine.
 */
export function ordersOf(events: readonly HistoryEvent[]): Record<string, string[]> {
  const orders: Record<string, string[]> = {}
  const add = (who: string, what: string) => (orders[who] = [...(orders[who] ?? []), what])
  for (const event of events) {
    if (event.type === 'command' || event.type === 'log' || event.type === 'keys-counted') continue
    if ('process' in event && event.process !== undefined && event.type !== 'effect-applied')
      add(event.process, event.type === 'fault-struck' ? `fault-struck: ${event.sentence}` : event.type)
    if ('key' in event && event.key !== null) add(`key ${event.key}`, event.type)
  }
  return orders
}

/** The kinds of the faults that struck, in order. */
export const struckIn = (events: readonly HistoryEvent[]): string[] =>
  events.flatMap((event) => (event.type === 'fault-struck' ? [event.fault] : []))

export async function simulated(layer: string, plan: Plan, sink: SinkKind = 'plain'): Promise<readonly HistoryEvent[]> {
  install()
  const implementation = await loadImplementation(path.join(folder, `${layer}.ts`))
  const scenario = {
    id: 'same-facts',
    story: '',
    shape: 'single' as const,
    assumptions: [],
    goals: [],
    invariants: [],
    recoveryCapMs: 60_000,
    plans: undefined as never,
  }
  const { history } = await runWorld({
    scenario,
    implementation,
    sink,
    plan,
    choices: { seed: 1 },
    record: false,
  })
  return history.events
}
