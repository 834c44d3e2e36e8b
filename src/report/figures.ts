/** Formats the numbers of a pair, for the terminal and the page. */

import { worstFirst } from '../contract/api/severity.ts'
import type { PairResult, ViolationResult } from '../contract/results/results.ts'

/** The number with thousands separators, independent of the locale: `12,345`. */
export const grouped = (n: number): string => String(n).replace(/\B(?=(\d{3})+$)/g, ',')

/** The number with its noun: `1 run`, `2 runs`. */
export const counted = (n: number, one: string, many = `${one}s`): string => `${grouped(n)} ${n === 1 ? one : many}`

/** The size of a run: `1 fault and 52 events`. */
export const sizeText = ({ faultCount, eventCount }: Pick<ViolationResult, 'faultCount' | 'eventCount'>): string =>
  `${counted(faultCount, 'fault')} and ${counted(eventCount, 'event')}`

/** Where a run comes from: `seed 1, run 12`; `the smallest order` if an exploration found it. */
export const originText = ({ seed, run, explored }: Pick<ViolationResult, 'seed' | 'run' | 'explored'>): string =>
  explored ? 'the smallest order' : `seed ${seed}, run ${run}`

/** The text with a capital first letter. */
export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

export const faultsStruck = ({ faults }: PairResult): number => Object.values(faults).reduce((sum, n) => sum + n, 0)

export interface GoalFigures {
  readonly reached: number
  /** The number of goals that can be reached, which excludes `n/a` goals. */
  readonly of: number
  readonly missed: readonly string[]
}

export function goalFigures({ goals }: PairResult): GoalFigures {
  const asked = Object.entries(goals).filter(([, runs]) => runs !== 'n/a')
  const missed = asked.filter(([, runs]) => runs === 0).map(([name]) => name)
  return { reached: asked.length - missed.length, of: asked.length, missed }
}

/**
 * True if the verdict matches the declaration. A layer that is declared broken must break in some
 * pair of `all`; it may hold in others.
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
 * The most severe violation, and of these the smallest; undefined for a pair that did not break.
 */
export const worstOf = ({ violations }: PairResult): ViolationResult | undefined => [...violations].sort(worstFirst)[0]

/**
 * The violation that is attributed to the faults of a pure scenario: the worst that needs the
 * faults. If none needs them, the worst of all, which has `needsNoFault`.
 */
export function attributedViolation(pair: PairResult): ViolationResult | undefined {
  const due = pair.violations.filter(({ needsNoFault }) => needsNoFault === undefined)
  return worstOf({ ...pair, violations: due }) ?? worstOf(pair)
}

/**
 * The distinct layers of some pairs: `000-lua-acquire, 001-get-set, 002-check-and-set, and 5 more`.
 */
export function layersText(pairs: readonly Pick<PairResult, 'implementation'>[]): string {
  const names = [...new Set(pairs.map(({ implementation }) => implementation))]
  return `${names.slice(0, 3).join(', ')}${names.length > 3 ? `, and ${names.length - 3} more` : ''}`
}

/** The percentage, rounded down, so that 100 % means all. */
export const percent = (n: number, of: number): string => `${of === 0 ? 0 : Math.floor((100 * n) / of)} %`
