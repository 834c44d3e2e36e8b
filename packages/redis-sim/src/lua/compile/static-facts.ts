/** Static properties of expressions. */
import type { Expression, FunctionBody } from '../syntax/ast.ts'

export function isMulti(expression: Expression): boolean {
  return expression.kind === 'call' || expression.kind === 'method' || expression.kind === 'vararg'
}

const arithmetic = new Set(['+', '-', '*', '/', '%', '^'])

/** True if the value of the expression is certainly a number. */
export function isNumeric(expression: Expression): boolean {
  switch (expression.kind) {
    case 'number':
      return true
    case 'local':
      return expression.local.numeric && !expression.local.assigned
    case 'paren':
      return isNumeric(expression.inner)
    case 'unary':
      return expression.operator === '#' || (expression.operator === '-' && isNumeric(expression.operand))
    case 'binary':
      return arithmetic.has(expression.operator) && isNumeric(expression.left) && isNumeric(expression.right)
    default:
      return false
  }
}

/**
 * The number that Lua's compiler computes from a literal with its signs; null if the expression is
 * not such a literal.
 */
export function literalNumber(expression: Expression): number | null {
  if (expression.kind === 'number') return expression.value
  if (expression.kind === 'paren') return literalNumber(expression.inner)
  if (expression.kind !== 'unary' || expression.operator !== '-') return null
  const operand = literalNumber(expression.operand)
  return operand === null ? null : -operand
}

/** True if the value of the expression is certainly a boolean. */
export function isBoolean(expression: Expression): boolean {
  switch (expression.kind) {
    case 'true':
    case 'false':
      return true
    case 'paren':
      return isBoolean(expression.inner)
    case 'unary':
      return expression.operator === 'not'
    case 'binary':
      return !arithmetic.has(expression.operator) && expression.operator !== '..'
    default:
      return false
  }
}

/** True if the evaluation of the expression has no side effect and cannot raise an error. */
export function isSimple(expression: Expression): boolean {
  return ['nil', 'true', 'false', 'number', 'string', 'local', 'vararg'].includes(expression.kind)
}

/** The name of a value in Lua 5.1's error messages. */
export function nameOf(expression: Expression, body: FunctionBody): string | null {
  switch (expression.kind) {
    case 'local':
      return `${expression.local.owner === body ? 'local' : 'upvalue'} '${expression.local.name}'`
    case 'global':
      return `global '${expression.name}'`
    case 'index':
      return `field '${expression.key.kind === 'string' ? expression.key.value : '?'}'`
    case 'paren':
      return nameOf(expression.inner, body)
    default:
      return null
  }
}
