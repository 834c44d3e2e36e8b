/** Numbers of a pair as reports give them: the same on a terminal and on the page. */

import { worstFirst } from '../contract/api/severity.ts'
import type { PairResult, ViolationResult } from '../contract/results/results.ts'

/** `12,345`, whatever the locale. */
export const grouped = (n: number): string => String(n).replace(/\B(?=(\d{3})+$)/g, ',')

/** `1 run`, `2 runs`. */
export const counted = (n: number, one: string, many = `${one}s`): string => `${grouped(n)} ${n === 1 ? one : many}`

export const faultsStruck = ({ faults }: PairResult): number => Object.values(faults).reduce((sum, n) => sum + n, 0)

export interface GoalFigures {
  readonly reached: number
  /** Goals that can be reached: those that are `n/a` are not among them. */
  readonly of: number
  readonly missed: readonly string[]
}

export function goalFigures({ goals }: PairResult): GoalFigures {
  const asked = Object.entries(goals).filter(([, runs]) => runs !== 'n/a')
  const missed = asked.filter(([, runs]) => runs === 0).map(([name]) => name)
  return { reached: asked.length - missed.length, of: asked.length, missed }
}

/**
 * A layer that is meant to break and broke is no bad news; one that is meant to break and broke
 * nowhere is. Where it broke in one of `all` pairs, it may hold in others.
 */
export const isAsExpected = (
  { verdict, expect, implementation }: PairResult,
  all: readonly PairResult[] = [],
): boolean =>
  expect === 'holds'
    ? verdict === 'pass'
    : verdict === 'violated' ||
      (verdict !== 'error' && all.some((one) => one.implementation === implementation && one.verdict === 'violated'))

/**
 * The worst of what was found, and of that the smallest; undefined for a pair that did not break.
 */
export const worstOf = ({ violations }: PairResult): ViolationResult | undefined => [...violations].sort(worstFirst)[0]

/**
 * What the faults of a pure scenario are charged with: the worst that needs them. If nothing does,
 * the worst of all, which is marked.
 */
export function chargedOf(pair: PairResult): ViolationResult | undefined {
  const due = pair.violations.filter(({ needsNoFault }) => needsNoFault === undefined)
  return worstOf({ ...pair, violations: due }) ?? worstOf(pair)
}

/**
 * `000-lua-acquire, 001-get-set, 002-check-and-set, and 5 more`: the layers of some pairs, each
 * once.
 */
export function layersText(pairs: readonly Pick<PairResult, 'implementation'>[]): string {
  const names = [...new Set(pairs.map(({ implementation }) => implementation))]
  return `${names.slice(0, 3).join(', ')}${names.length > 3 ? `, and ${names.length - 3} more` : ''}`
}

/** Rounded down, so that 100 % means all. */
export const percent = (n: number, of: number): string => `${of === 0 ? 0 : Math.floor((100 * n) / of)} %`
