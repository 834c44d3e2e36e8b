/**
 * The scenario of one value of a time limit. It has no file: its name says it all, to workers and
 * to tokens.
 */
import { defineScenario, type Scenario } from '../../contract/api/scenario.ts'
import type { BuiltInName } from '../../contract/api/verdict.ts'
import type { WorstCase } from '../../contract/results/tune.ts'
import { type Limit, limits } from './limit.ts'
import { valuesTried } from './values-tried.ts'
import { isPlayable, leastWorst } from './worst-case.ts'

/**
 * What a limit that is too short lets happen. How long one that is too long keeps a key from others
 * is not asked.
 */
const invariants: readonly BuiltInName[] = ['at-most-once', 'no-lost-message', 'no-false-done']

const recoveryCapMs = 600_000

const pattern = /^tune\/([a-z]+)\/(\d{1,9})ms\/((?:[a-z]+-\d{1,9}ms)(?:\+[a-z]+-\d{1,9}ms)*)$/

/** `tune/lease/4000ms/work-1000ms+pause-2000ms+skew-250ms` */
export function rungName({ id, outlasts }: Limit, valueMs: number, worst: WorstCase): string {
  const parts = outlasts.map((part) => `${part.replace(/Ms$/, '')}-${worst[part]}ms`)
  return `tune/${id}/${valueMs}ms/${parts.join('+')}`
}

/** Whether it could be the name of one, as opposed to a file or an id of the catalogue. */
export function isRungName(name: string): boolean {
  return pattern.test(name)
}

/** Null where there is no such limit, or where it is tried with no such value. */
export function rungScenario(name: string): Scenario | null {
  const [, id, value, parts] = pattern.exec(name) ?? []
  const limit = limits.find((one) => one.id === id)
  if (limit === undefined) return null
  const said = parts!.split('+').map((part) => part.slice(0, -'ms'.length).split('-'))
  const worst: WorstCase = { ...leastWorst, ...Object.fromEntries(said.map(([part, ms]) => [`${part}Ms`, Number(ms)])) }
  const valueMs = Number(value)
  // One name each, and no plan beyond what a run can be.
  const isOne =
    isPlayable(worst) && valuesTried(limit, worst).includes(valueMs) && rungName(limit, valueMs, worst) === name
  return isOne ? scenarioOf(name, limit, valueMs, worst) : null
}

function scenarioOf(id: string, limit: Limit, valueMs: number, worst: WorstCase): Scenario {
  return defineScenario({
    id,
    story: limit.story,
    shape: 'single',
    assumptions: ['one Redis server that keeps its data', 'all copies of a message carry the same payload'],
    invariants,
    goals: [limit.goal],
    recoveryCapMs,
    ...(worst.skewMs > 0 ? { needsConsumerClocks: true } : {}),
    plans: limit.plans(valueMs, worst),
  })
}
