/**
 * The scenario of one value of a time limit. The scenario has no file: its name contains everything
 * that workers and tokens need.
 */
import { defineScenario, type Scenario } from '../../contract/api/scenario.ts'
import type { BuiltInName } from '../../contract/api/verdict.ts'
import type { WorstCase } from '../../contract/results/tune.ts'
import { type Limit, limits } from './limit.ts'
import { valuesTried } from './values-tried.ts'
import { isPlayable, leastWorst } from './worst-case.ts'

/**
 * The invariants that a limit which is too short violates. The cost of a limit that is too long (a
 * key stays blocked) is not judged.
 */
const invariants: readonly BuiltInName[] = ['at-most-once', 'no-lost-message', 'no-false-done']

const recoveryCapMs = 600_000

const pattern = /^tune\/([a-z]+)\/(\d{1,9})ms\/((?:[a-z]+-\d{1,9}ms)(?:\+[a-z]+-\d{1,9}ms)*)$/

/** The name of the scenario, such as `tune/lease/4000ms/work-1000ms+pause-2000ms+skew-250ms`. */
export function rungName({ id, outlasts }: Limit, valueMs: number, worst: WorstCase): string {
  const parts = outlasts.map((part) => `${part.replace(/Ms$/, '')}-${worst[part]}ms`)
  return `tune/${id}/${valueMs}ms/${parts.join('+')}`
}

/**
 * True if the text has the form that `rungName` makes. No file and no id of the catalogue has this
 * form.
 */
export function isRungName(name: string): boolean {
  return pattern.test(name)
}

/** The scenario; null if there is no such limit, or if the value is not one of `valuesTried`. */
export function rungScenario(name: string): Scenario | null {
  const [, id, value, parts] = pattern.exec(name) ?? []
  const limit = limits.find((one) => one.id === id)
  if (limit === undefined) return null
  const said = parts!.split('+').map((part) => part.slice(0, -'ms'.length).split('-'))
  const worst: WorstCase = { ...leastWorst, ...Object.fromEntries(said.map(([part, ms]) => [`${part}Ms`, Number(ms)])) }
  const valueMs = Number(value)
  // Names that differ from the canonical name are rejected, so that each scenario has exactly one
  // name. The worst case must stay within the limits of a run.
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
