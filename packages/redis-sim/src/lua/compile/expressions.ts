/**
 * Compiles Lua expressions to JavaScript text. Invariants: operands are evaluated from left to
 * right; the error site (`$l`) is set after the evaluation of the operands and before any operation
 * that can raise; each temporary is used once per function.
 */
import { yieldValues } from '../runtime/call-stack.ts'
import type { LuaFunction } from '../runtime/values.ts'
import type { Call, Expression, FunctionBody } from '../syntax/ast.ts'
import type { Constants } from './constants.ts'
import type { Sites } from './sites.ts'
import { isBoolean, isMulti, isNumeric, isSimple, literalNumber, nameOf } from './static-facts.ts'
import { emitTable } from './table-constructor.ts'

const arithmetic: Record<string, string> = { '+': 'add', '-': 'sub', '*': 'mul', '/': 'div', '%': 'mod', '^': 'pow' }
const numericForms: Record<string, (a: string, b: string) => string> = {
  '+': (a, b) => `(${a} + ${b})`,
  '-': (a, b) => `(${a} - ${b})`,
  '*': (a, b) => `(${a} * ${b})`,
  '/': (a, b) => `(${a} / ${b})`,
  '%': (a, b) => `modulo(${a}, ${b})`,
  '^': (a, b) => `power(${a}, ${b})`,
}
const orders: Record<string, string> = { '<': 'lt', '<=': 'le', '>': 'gt', '>=': 'ge' }

/** A function; `single` is true for built-ins that return exactly one value, not in an array. */
export type SingleResult = LuaFunction & { single?: boolean }

export abstract class ExpressionEmitter {
  private temporaries = 0
  private zero: string | null = null

  constructor(
    protected readonly body: FunctionBody,
    protected readonly sites: Sites,
    protected readonly constants: Constants,
    /**
     * True if this emitter writes the twin of a function: a generator, whose calls are kept on the
     * heap.
     */
    protected readonly yielding: boolean,
  ) {}

  protected abstract functionText(body: FunctionBody): string

  temporary(): string {
    return `$t${this.temporaries++}`
  }

  protected temporaryNames(): string[] {
    return Array.from({ length: this.temporaries }, (_, index) => `$t${index}`)
  }

  site(line: number, ...operands: Expression[]): string {
    return `$l = ${this.sites.index({ line, names: operands.map((operand) => nameOf(operand, this.body)) })}`
  }

  /** The error site of a generic `for` that calls its iterator. */
  iteratorSite(line: number): string {
    return `$l = ${this.sites.index({ line, callee: '(for generator)' })}`
  }

  /** JavaScript text that evaluates to exactly one value. */
  value(expression: Expression): string {
    switch (expression.kind) {
      case 'nil':
        return 'undefined'
      case 'true':
      case 'false':
        return expression.kind
      case 'number':
        return this.numberLiteral(expression.value)
      case 'string':
        return JSON.stringify(expression.value)
      case 'vararg':
        return '$va[0]'
      case 'function':
        return this.functionText(expression.body)
      case 'local':
        return localName(expression.local)
      case 'global':
        return this.constants.global(expression.name, () => this.site(expression.line))
      case 'index':
        return this.indexed(expression)
      case 'call':
      case 'method':
        return this.isSingle(expression) ? this.call(expression) : `first(${this.call(expression)})`
      case 'paren':
        return this.value(expression.inner)
      case 'and':
      case 'or':
        return this.shortCircuit(expression.kind, expression.left, expression.right)
      case 'unary':
        return this.unary(expression.operator, expression.operand, expression.line)
      case 'binary':
        return this.binary(expression)
      case 'table':
        return emitTable(this, expression)
    }
  }

  /**
   * Lua 5.1 stores the constants of a function in a table in which 0 and -0 are the same key. The
   * one that occurs first in the function is therefore used for both.
   */
  private numberLiteral(value: number): string {
    if (value !== 0) return value < 0 ? `(${value})` : String(value)
    this.zero ??= 1 / value < 0 ? '(-0)' : '0'
    return this.zero
  }

  private indexed(expression: Expression & { kind: 'index' }): string {
    const { object, key, line } = expression
    const known = this.constants.known(expression)
    if (known !== undefined) return this.constants.literal(known)
    const site = this.site(line, object)
    if (key.kind === 'string') return `field(${this.value(object)}, ${JSON.stringify(key.value)}, ${site})`
    return `index(${this.value(object)}, ${this.value(key)}, ${site})`
  }

  private shortCircuit(kind: 'and' | 'or', left: Expression, right: Expression): string {
    if (isBoolean(left)) return `(${this.value(left)} ${kind === 'and' ? '&&' : '||'} ${this.value(right)})`
    const temporary = this.temporary()
    const test = `truthy(${temporary} = ${this.value(left)})`
    const other = this.value(right)
    return kind === 'and' ? `(${test} ? ${other} : ${temporary})` : `(${test} ? ${temporary} : ${other})`
  }

  private unary(operator: string, operand: Expression, line: number): string {
    if (operator === 'not') return `!${this.condition(operand)}`
    const literal = operator === '-' ? literalNumber(operand) : null
    if (literal !== null) return this.numberLiteral(-literal)
    const value = this.value(operand)
    if (operator === '-' && isNumeric(operand)) return `(-${value})`
    return `${operator === '-' ? 'unm' : 'len'}(${value}, ${this.site(line, operand)})`
  }

  private binary({ operator, left, right, line }: Expression & { kind: 'binary' }): string {
    const numeric = isNumeric(left) && isNumeric(right)
    let a = this.value(left)
    let b = this.value(right)
    if (operator !== '..' && this.isReadLate(left, right)) {
      const kept = this.temporary()
      a = `(${kept} = ${b}, ${a})`
      b = kept
    }
    if (numeric && operator in numericForms) return numericForms[operator]!(a, b)
    const site = this.site(line, left, right)
    if (operator in arithmetic) return `${arithmetic[operator]}(${a}, ${b}, ${site})`
    if (operator in orders) return numeric ? `(${a} ${operator} ${b})` : `${orders[operator]}(${a}, ${b}, ${site})`
    if (operator === '..') return `concat(${a}, ${b}, ${site})`
    const not = operator === '~=' ? '!' : ''
    if (numeric || isConstant(left) || isConstant(right)) return `(${a} ${not ? '!==' : '==='} ${b})`
    return `${not}eq(${a}, ${b}, ${site})`
  }

  /**
   * True if a later operand may change this operand before it is used. Lua reads a local variable
   * from its register only when the operation runs, so an assignment in a later operand has an
   * effect.
   */
  protected isReadLate(operand: Expression, later: Expression): boolean {
    if (operand.kind !== 'local' || isSimple(later)) return false
    return operand.local.assigned && operand.local.owner === this.body
  }

  /** JavaScript text that evaluates to a boolean. */
  condition(expression: Expression): string {
    switch (expression.kind) {
      case 'nil':
        return 'false'
      case 'and':
        return `(${this.condition(expression.left)} && ${this.condition(expression.right)})`
      case 'or':
        return `(${this.condition(expression.left)} || ${this.condition(expression.right)})`
      case 'paren':
        return this.condition(expression.inner)
      default:
        return isBoolean(expression) ? this.value(expression) : `truthy(${this.value(expression)})`
    }
  }

  /** JavaScript text of all values, for an array literal or an argument list. */
  list(expressions: readonly Expression[]): string {
    return expressions
      .map((expression, index) => (index === expressions.length - 1 ? this.spread(expression) : this.value(expression)))
      .join(', ')
  }

  private spread(expression: Expression): string {
    if (expression.kind === 'vararg') return '...$va'
    return isMulti(expression) && !this.isSingle(expression)
      ? `...all(${this.result(expression)})`
      : this.value(expression)
  }

  /** JavaScript text of a function's result: one value, or an array. */
  result(expression: Expression): string {
    if (expression.kind === 'vararg') return '$va'
    return expression.kind === 'call' || expression.kind === 'method' ? this.call(expression) : this.value(expression)
  }

  private knownCallee(expression: Call): LuaFunction | null {
    const known = expression.kind === 'call' ? this.constants.known(expression.callee) : undefined
    return typeof known === 'function' ? known : null
  }

  private isSingle(expression: Expression): boolean {
    if (expression.kind !== 'call') return false
    return (this.knownCallee(expression) as SingleResult | null)?.single === true
  }

  call(expression: Call, tail = false): string {
    const known = this.knownCallee(expression)
    const calleeName =
      expression.kind === 'method' ? `method '${expression.name}'` : nameOf(expression.callee, this.body)
    const callee = calleeName?.split("'")[1] ?? null
    const site = `$l = ${this.sites.index({ line: expression.line, names: [calleeName], callee, tail })}`
    if (this.yielding && known === yieldValues) return `(yield [${this.list(expression.args)}])`
    if (known) return this.callBuiltin(this.constants.reference(known), expression.args, site)
    if (expression.kind === 'call')
      return this.callUnknown(this.value(expression.callee), [], expression.args, site, tail)
    const self = this.temporary()
    const object = this.value(expression.object)
    const lookup = `$l = ${this.sites.index({ line: expression.nameLine, names: [nameOf(expression.object, this.body)] })}`
    const method = `field(${self} = ${object}, ${JSON.stringify(expression.name)}, ${lookup})`
    return this.callUnknown(method, [self], expression.args, site, tail)
  }

  /**
   * Calls a built-in directly. The error site is set after the last argument was evaluated, before
   * the call.
   */
  private callBuiltin(callee: string, args: readonly Expression[], site: string): string {
    const last = args.at(-1)
    if (last === undefined) return `(${site}, ${callee}())`
    const before = args.slice(0, -1).map((argument) => `${this.value(argument)}, `)
    const text = this.spread(last)
    if (!text.startsWith('...') && isSimple(last)) return `${callee}(${before.join('')}(${site}, ${text}))`
    const temporary = this.temporary()
    const dots = text.startsWith('...') ? '...' : ''
    return `${callee}(${before.join('')}${dots}(${temporary} = ${text.slice(dots.length)}, ${site}, ${temporary}))`
  }

  private callUnknown(
    callee: string,
    before: readonly string[],
    args: readonly Expression[],
    site: string,
    tail: boolean,
  ): string {
    const list = [...before, this.list(args)].filter((text) => text !== '').join(', ')
    if (this.yielding) return `(yield ${tail ? 'requestTail' : 'request'}(${callee}, [${list}], ${site}))`
    const count = before.length + args.length
    const fixed = count <= 3 && !(args.length > 0 && isMulti(args.at(-1)!))
    if (!fixed) return `${tail ? 'tailCall' : 'call'}(${callee}, [${list}], ${site})`
    return `${tail ? 'tail' : 'call'}${count}(${[callee, list, site].filter((text) => text !== '').join(', ')})`
  }
}

export function localName(local: { readonly name: string; readonly id: number }): string {
  return `${local.name}$${local.id}`
}

const isConstant = (expression: Expression) => ['nil', 'true', 'false', 'number', 'string'].includes(expression.kind)
