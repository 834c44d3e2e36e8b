/** The steps of a schedule that a store with several servers takes without a client. */
import type { ScheduleStep } from '../contract/results/schedule.ts'
import type { Knows, Step, StoreStep } from '../contract/results/step.ts'

const ofStores: ReadonlySet<Step['kind']> = new Set(['promoted', 'follows', 'has-write', 'announces', 'knows'] as const)

export const isStoreStep = (step: Step): step is StoreStep => ofStores.has(step.kind)

/**
 * How much clients see of the view that a node adopts in step `at`, until it adopts the next view.
 * `served`: they see whether the node executes or redirects their commands. `told`: they also see
 * which other nodes it reports. Null if no client uses the node in that time.
 */
export function seenOf(steps: readonly Pick<ScheduleStep, 'step' | 'server'>[], at: number): 'served' | 'told' | null {
  const { server } = steps[at]!.step as Knows
  let seen: 'served' | null = null
  for (const { step, server: executes } of steps.slice(at + 1)) {
    const isAsked = step.kind === 'asks' && step.server === server
    if (isAsked && step.question !== 'cluster-info') return 'told'
    if (executes === server || isAsked) seen = 'served'
    if (step.kind === 'knows' && step.server === server) return seen
  }
  return seen
}

/**
 * The Sentinel that leads the failover with the promotion in step `at`: the first one that
 * announces the new primary.
 */
export function leaderOf(steps: readonly Pick<ScheduleStep, 'step'>[], at: number): string | null {
  const { server } = steps[at]!.step as Extract<Step, { kind: 'promoted' }>
  for (const { step } of steps.slice(at)) if (step.kind === 'announces' && step.primary === server) return step.watcher
  return null
}

/**
 * The name of a query to a Sentinel, or to a Cluster node about the Cluster; null for any other
 * command.
 */
export function questionOf([name = '', about = '']: readonly string[]): string | null {
  const what = name.toUpperCase()
  if (what === 'SENTINEL') return about.toLowerCase()
  return what === 'CLUSTER' ? `cluster-${about.toLowerCase()}` : null
}

/**
 * True if the step depends on the servers: a step that they take without a client, or a query to a
 * Sentinel or a node and its answer. In a Cluster, chance and the nodes determine which node a
 * client contacts first, and whether its connection is established and lasts.
 */
export const isOfServers = (step: Step): boolean =>
  isStoreStep(step) ||
  step.kind === 'asks' ||
  step.kind === 'hears' ||
  (step.kind === 'heard' && step.server !== null && step.what !== 'told')
