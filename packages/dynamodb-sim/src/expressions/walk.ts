import type { Comparison, Condition } from './condition.ts'
import type { FunctionCall, Operand, Path, ValueOperand } from './operands.ts'

/** The comparisons of a condition, from left to right. */
export function* comparisonsOf(condition: Condition): Generator<Comparison> {
  switch (condition.kind) {
    case 'and':
    case 'or':
      yield* comparisonsOf(condition.left)
      yield* comparisonsOf(condition.right)
      return
    case 'not':
      yield* comparisonsOf(condition.of)
      return
    default:
      yield condition
  }
}

export function operandsOf(comparison: Comparison): readonly Operand[] {
  switch (comparison.kind) {
    case 'compare':
      return [comparison.left, comparison.right]
    case 'between':
      return [comparison.of, comparison.low, comparison.high]
    case 'in':
      return [comparison.of, ...comparison.options]
    default:
      return [comparison]
  }
}

/** All parts of an operand: the arguments of functions first, then the operand itself. */
export function* partsOf(operand: Operand): Generator<Operand> {
  if (operand.kind === 'function') for (const arg of operand.args) yield* partsOf(arg)
  yield operand
}

export function partsOfAll(operands: Iterable<Operand>): Operand[] {
  return [...operands].flatMap((operand) => [...partsOf(operand)])
}

export function callsIn(parts: readonly Operand[]): FunctionCall[] {
  return parts.filter((part) => part.kind === 'function')
}

export function pathsIn(parts: readonly Operand[]): Path[] {
  return parts.filter((part) => part.kind === 'path')
}

export function valuesIn(parts: readonly Operand[]): ValueOperand[] {
  return parts.filter((part) => part.kind === 'value')
}
