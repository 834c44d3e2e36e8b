/** Expressions of Lua 5.1: precedence climbing in the order of the reference parser. */
import type { BinaryOperator, Call, Expression, FunctionBody, TableField, UnaryOperator } from './ast.ts'
import { Scopes } from './scopes.ts'

/** Left and right binding power of each operator. */
const priorities: Record<string, readonly [number, number]> = {
  '+': [6, 6],
  '-': [6, 6],
  '*': [7, 7],
  '/': [7, 7],
  '%': [7, 7],
  '^': [10, 9],
  '..': [5, 4],
  '~=': [3, 3],
  '==': [3, 3],
  '<': [3, 3],
  '<=': [3, 3],
  '>': [3, 3],
  '>=': [3, 3],
  and: [2, 2],
  or: [1, 1],
}
const unaryPriority = 8
const unaryOperators = new Set(['not', '-', '#'])

export abstract class ExpressionParser extends Scopes {
  protected abstract functionBody(isMethod: boolean, line: number): FunctionBody

  protected expression(): Expression {
    return this.subExpression(0)
  }

  protected expressionList(): Expression[] {
    const list = [this.expression()]
    while (this.accept(',')) {
      this.discharge(list.at(-1)!)
      list.push(this.expression())
    }
    return list
  }

  /**
   * Sets the line of a field or global. Lua emits the load instruction when the value is needed,
   * and gives it the line of the last token.
   */
  private discharge(expression: Expression): void {
    if (expression.kind === 'index' || expression.kind === 'global') expression.line = this.lastLine
  }

  private subExpression(limit: number): Expression {
    this.enterLevel()
    let left: Expression
    if (unaryOperators.has(this.token.type)) {
      const operator = this.token.type as UnaryOperator
      this.advance()
      const operand = this.subExpression(unaryPriority)
      left = { kind: 'unary', operator, operand, line: this.lastLine }
    } else left = this.simpleExpression()
    for (;;) {
      const operator = this.token.type
      const priority = Object.hasOwn(priorities, operator) ? priorities[operator] : undefined
      if (!priority || priority[0] <= limit) break
      this.advance()
      this.discharge(left)
      const right = this.subExpression(priority[1])
      left =
        operator === 'and' || operator === 'or'
          ? { kind: operator, left, right }
          : { kind: 'binary', operator: operator as BinaryOperator, left, right, line: this.lastLine }
    }
    this.leaveLevel()
    return left
  }

  private simpleExpression(): Expression {
    const { type, text, value } = this.token
    switch (type) {
      case '<number>':
        this.advance()
        return { kind: 'number', value }
      case '<string>':
        this.advance()
        return { kind: 'string', value: text }
      case 'nil':
      case 'true':
      case 'false':
        this.advance()
        return { kind: type }
      case '...':
        if (!this.current.body.isVararg) this.fail("cannot use '...' outside a vararg function")
        this.current.body.usesVararg = true
        this.advance()
        return { kind: 'vararg' }
      case '{':
        return this.table()
      case 'function': {
        this.advance()
        return { kind: 'function', body: this.functionBody(false, this.lexer.line) }
      }
      default:
        return this.suffixed()
    }
  }

  private prefix(): Expression {
    if (this.token.type === '<name>') return this.resolve(this.name())
    if (this.token.type !== '(') this.fail('unexpected symbol')
    const line = this.lexer.line
    this.advance()
    const inner = this.expression()
    this.expectClosing(')', '(', line)
    this.discharge(inner)
    return { kind: 'paren', inner }
  }

  protected suffixed(): Expression {
    let expression = this.prefix()
    for (;;) {
      switch (this.token.type) {
        case '.': {
          this.discharge(expression)
          this.advance()
          const key: Expression = { kind: 'string', value: this.name() }
          expression = { kind: 'index', object: expression, key, line: this.lastLine }
          break
        }
        case '[': {
          this.discharge(expression)
          this.advance()
          const key = this.expression()
          this.discharge(key)
          this.expect(']')
          expression = { kind: 'index', object: expression, key, line: this.lastLine }
          break
        }
        case ':': {
          this.advance()
          this.discharge(expression)
          const name = this.name()
          expression = this.call(expression, name, this.lastLine)
          break
        }
        case '(':
        case '{':
        case '<string>':
          this.discharge(expression)
          expression = this.call(expression, null, 0)
          break
        default:
          return expression
      }
    }
  }

  private call(callee: Expression, method: string | null, nameLine: number): Call {
    const line = this.lexer.line
    const args = this.callArguments(line)
    return method === null
      ? { kind: 'call', callee, args, line }
      : { kind: 'method', object: callee, name: method, nameLine, args, line }
  }

  private callArguments(line: number): Expression[] {
    const { type, text } = this.token
    if (type === '<string>') {
      this.advance()
      return [{ kind: 'string', value: text }]
    }
    if (type === '{') return [this.table()]
    if (type !== '(') this.fail('function arguments expected')
    if (line !== this.lastLine) this.fail('ambiguous syntax (function call x new statement)')
    this.advance()
    if (this.accept(')')) return []
    const args = this.expressionList()
    this.expectClosing(')', '(', line)
    return args
  }

  private table(): Expression {
    const line = this.lexer.line
    const fields: TableField[] = []
    this.expect('{')
    while (this.token.type !== '}') {
      fields.push(this.field())
      if (!this.accept(',') && !this.accept(';')) break
    }
    this.expectClosing('}', '{', line)
    return { kind: 'table', fields, line }
  }

  private field(): TableField {
    if (this.token.type === '<name>' && this.peek().type === '=') {
      const key: Expression = { kind: 'string', value: this.name() }
      this.expect('=')
      const value = this.expression()
      return { key, value, line: this.lastLine }
    }
    if (this.token.type !== '[') return { key: null, value: this.expression() }
    this.advance()
    const key = this.expression()
    this.expect(']')
    this.expect('=')
    const value = this.expression()
    return { key, value, line: this.lastLine }
  }
}
