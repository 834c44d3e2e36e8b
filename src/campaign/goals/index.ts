/** All goals by name, and the reasons for which a goal is `n/a`. */
import type { History } from '../../contract/api/history.ts'
import {
  type Implementation,
  type Mechanism,
  type RareMechanism,
  rareMechanisms,
} from '../../contract/api/implementation.ts'
import type { SinkKind } from '../../contract/api/sink.ts'
import { storesText, usualStores } from '../../contract/api/store.ts'
import { brokerGoals } from './broker.ts'
import { crashGoals } from './crashes.ts'
import { effectGoals } from './effects.ts'
import { environmentGoals } from './environment.ts'
import type { Goal } from './goal.ts'
import { leaseGoals } from './leases.ts'
import { networkGoals } from './network.ts'
import { outcomeGoals } from './outcomes.ts'
import { serviceGoals } from './services.ts'
import { topologyGoals } from './topology.ts'
import { transactionGoals } from './transactions.ts'

export const goals: readonly Goal[] = [
  ...networkGoals,
  ...crashGoals,
  ...leaseGoals,
  ...effectGoals,
  ...brokerGoals,
  ...outcomeGoals,
  ...environmentGoals,
  ...topologyGoals,
  ...transactionGoals,
  ...serviceGoals,
]

const byName: ReadonlyMap<string, Goal> = new Map(goals.map((goal) => [goal.name, goal]))

const inWords: Record<Mechanism | RareMechanism, string> = {
  lease: 'leases',
  'stored-result': 'stored results',
  'dead-lettering': 'way to dead-letter messages',
  'offline-queue': 'queue that keeps commands for minutes while offline',
  'command-timeout': 'timeout for its commands',
  pipeline: 'pipelines',
  'resent-wait': 'retry of WAIT',
  'lock-reports': 'events about its locks',
  transactions: 'transactions of several statements',
  'transaction-limit': 'timeout for idle transactions',
  compensation: 'way to cancel an effect',
}

/**
 * True if the run reached the goal.
 * @throws Error if there is no such goal, which is an error in the scenario
 */
export function reached(name: string, history: History): boolean {
  const goal = byName.get(name)
  if (!goal) throw new Error(`unknown goal "${name}"; goals: ${[...byName.keys()].join(', ')}`)
  return goal.reached(history)
}

/** Why no run of the layer on the sink can be expected to reach a goal; null if a run can. */
export function notApplicable(
  name: string,
  { id, lacks = [], has = [], stores = usualStores }: Implementation,
  sink: SinkKind = 'plain',
): string | null {
  const { needs, notOn, store } = byName.get(name) ?? {}
  if (notOn?.sinks.includes(sink)) return `${sink} sink: ${notOn.because}`
  if (store !== undefined && !stores.includes(store))
    return `tests clients of ${storesText([store])}, but ${id} has none`
  if (needs === undefined) return null
  const without = isRare(needs) ? !has.includes(needs) : lacks.includes(needs)
  return without ? `${id} has no ${inWords[needs]}` : null
}

/**
 * What a layer must declare if it lacks the mechanisms that the goals need; null if the goals need
 * no mechanism.
 */
export function lacksText(names: readonly string[]): string | null {
  const needed = new Set(names.flatMap((name) => byName.get(name)?.needs ?? []))
  const said = [...needed].flatMap((needs) =>
    isRare(needs) ? [] : [`\`lacks: ['${needs}']\` if it has no ${inWords[needs]}`],
  )
  return said.length === 0 ? null : `the adapter may declare ${said.join(', ')}`
}

function isRare(mechanism: Mechanism | RareMechanism): mechanism is RareMechanism {
  return (rareMechanisms as readonly string[]).includes(mechanism)
}
