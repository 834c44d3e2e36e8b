/** The result of a library for each question, from the results of a matrix. */
import type { PairResult, Results, ViolationResult } from '../../src/contract/results/results.ts'
import { worstOf } from '../../src/report/figures.ts'
import { type Asked, leftBehind, type Question, questions } from './asked.ts'

export type Cell =
  | { readonly fate: 'held'; readonly runs: number }
  | { readonly fate: 'broke'; readonly by: ViolationResult }
  /** There is no verdict, for the given reason. */
  | { readonly fate: 'unknown'; readonly reason: string }
  /** The adapter cannot use the shape of Redis in the scenario. */
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
  return isJudged(pair) ? { fate: 'held', runs: pair.runs } : unknown(pair)
}

/** True if the pair has a verdict. Ignores leftover keys, which have a separate column. */
function isJudged({ verdict, invariants, goals, unsupportedCommands }: PairResult): boolean {
  const judged = Object.entries(invariants).every(
    ([name, { verdict }]) => name === leftBehind || verdict === 'valid' || verdict === 'n/a',
  )
  const reached = Object.values(goals).every((runs) => runs !== 0)
  return verdict !== 'error' && judged && reached && unsupportedCommands.length === 0
}

function keysOf(own: readonly PairResult[]): Cell {
  const found = own.flatMap(({ violations }) => violations.filter(({ invariant }) => invariant === leftBehind))
  const [by] = found.sort((a, b) => a.eventCount - b.eventCount)
  if (by !== undefined) return { fate: 'broke', by }
  const open = own.find(({ invariants }) => invariants[leftBehind]?.verdict === 'unknown')
  return open === undefined ? { fate: 'held', runs: own.reduce((sum, { runs }) => sum + runs, 0) } : unknown(open)
}

/**
 * If the only violation is about leftover keys, the pair's reason is about them. So the reason for
 * the other questions is derived here.
 */
function unknown({ verdict, reason, invariants, runs }: PairResult): Cell {
  if (verdict !== 'violated') return { fate: 'unknown', reason: reason ?? verdict }
  const open = Object.entries(invariants).flatMap(([name, { verdict }]) => (verdict === 'unknown' ? [name] : []))
  const what = open.length === 0 ? 'a goal was not reached in any' : `${open.join(', ')} could not be judged in all`
  return { fate: 'unknown', reason: `${what} of ${runs} runs` }
}
