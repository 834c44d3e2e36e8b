/** What a store of several servers does by itself, as steps of a schedule. */
import type { ScheduleStep } from '../contract/results/schedule.ts'
import type { Knows, Step, StoreStep } from '../contract/results/step.ts'

const ofStores: ReadonlySet<Step['kind']> = new Set(['promoted', 'follows', 'has-write', 'announces', 'knows'] as const)

export const isStoreStep = (step: Step): step is StoreStep => ofStores.has(step.kind)

/**
 * What of a node's belief clients see while it has what it comes to in step `at`: whether and where
 * it sends their commands, or also whom else it tells of. Null where nobody speaks to it meanwhile.
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

/** The Sentinel that leads the failover whose promotion is step `at`: the first to announce it. */
export function leaderOf(steps: readonly Pick<ScheduleStep, 'step'>[], at: number): string | null {
  const { server } = steps[at]!.step as Extract<Step, { kind: 'promoted' }>
  for (const { step } of steps.slice(at)) if (step.kind === 'announces' && step.primary === server) return step.watcher
  return null
}

/**
 * What a client asks a Sentinel for, or a node of a Cluster about the others; null where the
 * command is its own.
 */
export function questionOf([name = '', about = '']: readonly string[]): string | null {
  const what = name.toUpperCase()
  if (what === 'SENTINEL') return about.toLowerCase()
  return what === 'CLUSTER' ? `cluster-${about.toLowerCase()}` : null
}

/**
 * Whether that step is one of what servers do by themselves, or of a question that a Sentinel or a
 * node is asked. To which node of a Cluster a client turns first is for chance and the nodes to
 * say, too, and so is whether its connection comes about and lasts.
 */
export const isOfServers = (step: Step): boolean =>
  isStoreStep(step) ||
  step.kind === 'asks' ||
  step.kind === 'hears' ||
  (step.kind === 'heard' && step.server !== null && step.what !== 'told')
