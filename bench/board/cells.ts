/** What a library was found to do where it was asked, from the results of a matrix. */
import type { PairResult, Results, ViolationResult } from '../../src/contract/results.ts'
import { worstOf } from '../../src/report/figures.ts'
import { type Asked, leftBehind, type Question, questions } from './asked.ts'

export type Cell =
  | { readonly fate: 'held'; readonly runs: number }
  | { readonly fate: 'broke'; readonly by: ViolationResult }
  /** No verdict, and why. */
  | { readonly fate: 'unknown'; readonly reason: string }
  /** The adapter cannot use that shape of Redis. */
  | { readonly fate: 'n/a' }

export function cellOf({ pairs }: Pick<Results, 'pairs'>, id: string, asked: Asked): Cell {
  const own = pairs.filter(({ implementation }) => implementation === id)
  return asked === 'keys' ? keysOf(own) : answerOf(own, asked)
}

function answerOf(own: readonly PairResult[], asked: Question): Cell {
  const pair = own.find(({ scenario }) => scenario === questions[asked])
  if (pair === undefined) return { fate: 'n/a' }
  const about = pair.violations.filter(({ invariant }) => invariant !== leftBehind)
  const by = worstOf({ ...pair, violations: about })
  if (by !== undefined) return { fate: 'broke', by }
  const { verdict, reason, runs } = pair
  // What it left behind is told in a column of its own.
  if (verdict === 'pass' || verdict === 'violated') return { fate: 'held', runs }
  return { fate: 'unknown', reason: reason ?? verdict }
}

function keysOf(own: readonly PairResult[]): Cell {
  const found = own.flatMap(({ violations }) => violations.filter(({ invariant }) => invariant === leftBehind))
  const [by] = found.sort((a, b) => a.eventCount - b.eventCount)
  return by === undefined ? { fate: 'held', runs: own.reduce((sum, { runs }) => sum + runs, 0) } : { fate: 'broke', by }
}
