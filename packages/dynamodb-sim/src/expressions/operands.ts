import type { AttributeValue } from '../values/attribute-value.ts'
import type { Placeholders } from './placeholders.ts'
import { type Tokens, Unreadable } from './tokens.ts'

/**
 * One step of a path: a member of a map, or an index of a list. `name` is undefined if `token` is a
 * placeholder that the request does not define.
 */
export type Step = { readonly token: string; readonly name: string | undefined } | number

export interface Path {
  readonly kind: 'path'
  readonly steps: readonly Step[]
}

export interface ValueOperand {
  readonly kind: 'value'
  readonly token: string
  readonly value: AttributeValue | undefined
}

export interface FunctionCall {
  readonly kind: 'function'
  readonly name: string
  readonly args: readonly Operand[]
}

export type Operand = Path | ValueOperand | FunctionCall

/** Parses paths, values and function calls, which all expressions share. */
export class OperandParser {
  /** True if the parsed text contains redundant parentheses, such as `((a = :b))`. */
  redundant = false

  constructor(
    readonly tokens: Tokens,
    private readonly placeholders: Placeholders,
  ) {}

  /**
   * The result of `read`. If `read` cannot parse the tokens, restores the position and returns
   * null.
   */
  attempt<T>(read: () => T): T | null {
    const { at } = this.tokens
    const { redundant } = this
    try {
      return read()
    } catch (problem) {
      if (!(problem instanceof Unreadable)) throw problem
      this.tokens.at = at
      this.redundant = redundant
      return null
    }
  }

  operand(): Operand {
    const { tokens } = this
    if (tokens.next.kind === 'symbol' && tokens.next.text === '(') return this.inParentheses()
    if (tokens.next.kind === 'value') {
      const token = tokens.take().text
      return { kind: 'value', token, value: this.placeholders.value(token) }
    }
    return this.call() ?? this.path()
  }

  private inParentheses(): Operand {
    const { tokens } = this
    tokens.expect('(')
    const twice = tokens.next.text === '('
    const operand = this.operand()
    tokens.expect(')')
    if (twice) this.redundant = true
    return operand.kind === 'path' ? { kind: 'path', steps: [...operand.steps, ...this.furtherSteps()] } : operand
  }

  /** Parses a function call, which has at least one argument. */
  private call(): FunctionCall | null {
    const { tokens } = this
    if (tokens.next.kind !== 'word' || tokens.isKeyword) return null
    return this.attempt(() => {
      const name = tokens.take().text
      tokens.expect('(')
      const args = this.list(() => this.operand())
      tokens.expect(')')
      return { kind: 'function', name, args }
    })
  }

  /** Parses one or more items, separated by commas. */
  list<T>(read: () => T): T[] {
    const all = [read()]
    while (this.tokens.symbol(',')) all.push(read())
    return all
  }

  path(): Path {
    return { kind: 'path', steps: [this.member(), ...this.furtherSteps()] }
  }

  private furtherSteps(): Step[] {
    const { tokens } = this
    const steps: Step[] = []
    for (;;) {
      if (tokens.symbol('.')) steps.push(this.member())
      else if (tokens.symbol('[')) {
        if (tokens.next.kind !== 'index') tokens.fail()
        steps.push(Number(tokens.take().text))
        tokens.expect(']')
      } else return steps
    }
  }

  private member(): Step {
    const { tokens } = this
    const { kind } = tokens.next
    if (kind === 'name') {
      const token = tokens.take().text
      return { token, name: this.placeholders.name(token) }
    }
    if (kind !== 'word' || tokens.isKeyword) tokens.fail()
    const token = tokens.take().text
    return { token, name: token }
  }
}
