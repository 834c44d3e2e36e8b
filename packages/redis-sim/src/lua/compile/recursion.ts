/**
 * Decides which chunks need a twin of each function, that is, a second version whose calls are kept
 * on the heap. These are chunks that use coroutines, and chunks in which a function might be called
 * recursively. A function is not recursive if it only calls built-ins and local functions that were
 * defined before it, so most scripts need no twins.
 */
import type { Expression, FunctionBody, Local, Statement } from '../syntax/ast.ts'
import type { Constants } from './constants.ts'

/**
 * Maximum nesting of functions for which twins are made. Each twin contains twins of its inner
 * functions, so deeper nesting would need too many.
 */
const deepestTwins = 8

export function needsTwins(main: FunctionBody, constants: Constants, usesCoroutines: boolean): boolean {
  const search = new Search(constants)
  search.body(main, 0)
  return search.deepest <= deepestTwins && (usesCoroutines || search.mayRecurse)
}

class Search {
  mayRecurse = false
  deepest = 0
  /**
   * Local variables that hold a built-in, or a function that was completely defined when the
   * variable was declared.
   */
  private readonly harmless = new Set<Local>()

  constructor(private readonly constants: Constants) {}

  body(body: FunctionBody, depth: number): void {
    this.deepest = Math.max(this.deepest, depth)
    this.block(body.block, depth)
  }

  private block(statements: readonly Statement[], depth: number): void {
    for (const statement of statements) this.statement(statement, depth)
  }

  private statement(statement: Statement, depth: number): void {
    switch (statement.kind) {
      case 'local':
        this.all(statement.values, depth)
        for (const [at, local] of statement.locals.entries()) {
          const value = statement.values[at]
          if (value !== undefined && !local.assigned && this.isHarmless(value)) this.harmless.add(local)
        }
        return
      case 'localFunction':
        this.body(statement.body, depth + 1)
        if (!statement.local.assigned) this.harmless.add(statement.local)
        return
      case 'assign':
        this.all([...statement.targets, ...statement.values], depth)
        return
      case 'callStatement':
        return this.expression(statement.call, depth)
      case 'do':
        return this.block(statement.block, depth)
      case 'while':
      case 'repeat':
        this.expression(statement.condition, depth)
        return this.block(statement.block, depth)
      case 'if':
        for (const { condition, block } of statement.clauses) {
          this.expression(condition, depth)
          this.block(block, depth)
        }
        return this.block(statement.otherwise ?? [], depth)
      case 'numericFor':
        this.all([statement.start, statement.limit, ...(statement.step === null ? [] : [statement.step])], depth)
        return this.block(statement.block, depth)
      case 'genericFor':
        this.all(statement.values, depth)
        return this.block(statement.block, depth)
      case 'return':
        return this.all(statement.values, depth)
      case 'break':
    }
  }

  private all(expressions: readonly Expression[], depth: number): void {
    for (const expression of expressions) this.expression(expression, depth)
  }

  private expression(expression: Expression, depth: number): void {
    switch (expression.kind) {
      case 'function':
        return this.body(expression.body, depth + 1)
      case 'index':
        return this.all([expression.object, expression.key], depth)
      case 'call':
        if (depth > 0 && !this.isHarmless(expression.callee)) this.mayRecurse = true
        return this.all([expression.callee, ...expression.args], depth)
      case 'method':
        if (depth > 0) this.mayRecurse = true
        return this.all([expression.object, ...expression.args], depth)
      case 'paren':
        return this.expression(expression.inner, depth)
      case 'and':
      case 'or':
      case 'binary':
        return this.all([expression.left, expression.right], depth)
      case 'unary':
        return this.expression(expression.operand, depth)
      case 'table':
        for (const field of expression.fields) {
          if (field.key !== null) this.expression(field.key, depth)
          this.expression(field.value, depth)
        }
    }
  }

  /** True if a call of this expression cannot call a function that is already running. */
  private isHarmless(expression: Expression): boolean {
    if (expression.kind === 'paren') return this.isHarmless(expression.inner)
    if (expression.kind === 'function') return true
    if (expression.kind === 'local') return this.harmless.has(expression.local)
    return typeof this.constants.known(expression) === 'function'
  }
}
