import { type FunctionCall, type Operand, OperandParser } from './operands.ts'
import type { Placeholders } from './placeholders.ts'
import { Tokens } from './tokens.ts'

const comparators = ['=', '<>', '<', '<=', '>', '>='] as const
export type Comparator = (typeof comparators)[number]

/** A part of a condition that is true or false and contains no other condition. */
export type Comparison =
  | { readonly kind: 'compare'; readonly operator: Comparator; readonly left: Operand; readonly right: Operand }
  | { readonly kind: 'between'; readonly of: Operand; readonly low: Operand; readonly high: Operand }
  | { readonly kind: 'in'; readonly of: Operand; readonly options: readonly Operand[] }
  | FunctionCall

export type Condition =
  | { readonly kind: 'and' | 'or'; readonly left: Condition; readonly right: Condition }
  | { readonly kind: 'not'; readonly of: Condition }
  | Comparison

const keywords = new Set(['AND', 'OR', 'NOT', 'BETWEEN', 'IN'])

export interface ReadCondition {
  readonly condition: Condition
  /** True if the condition contains redundant parentheses, such as `((a = :b))`. */
  readonly redundant: boolean
}

/** @returns the error message as a string if the text cannot be parsed */
export function readCondition(text: string, placeholders: Placeholders): ReadCondition | string {
  const tokens = new Tokens(text, keywords)
  const parser = new ConditionParser(tokens, placeholders)
  const read = parser.attempt(() => {
    const condition = parser.whole()
    return { condition, redundant: parser.redundant }
  })
  return read ?? tokens.problem
}

interface Read {
  readonly condition: Condition
  /** True if the condition is in parentheses. */
  readonly grouped: boolean
}

class ConditionParser extends OperandParser {
  whole(): Condition {
    const { condition } = this.alternatives()
    if (this.tokens.next.kind !== 'end') this.tokens.fail()
    return condition
  }

  private alternatives(): Read {
    const left = this.conjunction()
    if (!this.tokens.keyword('OR')) return left
    return { condition: { kind: 'or', left: left.condition, right: this.alternatives().condition }, grouped: false }
  }

  private conjunction(): Read {
    const left = this.negation()
    if (!this.tokens.keyword('AND')) return left
    return { condition: { kind: 'and', left: left.condition, right: this.conjunction().condition }, grouped: false }
  }

  private negation(): Read {
    if (!this.tokens.keyword('NOT')) return this.primary()
    return { condition: { kind: 'not', of: this.primary().condition }, grouped: false }
  }

  private primary(): Read {
    const { tokens } = this
    const group = this.attempt(() => {
      tokens.expect('(')
      const inside = this.alternatives()
      tokens.expect(')')
      if (this.goesOn) tokens.fail()
      if (inside.grouped) this.redundant = true
      return inside.condition
    })
    return group === null ? { condition: this.comparison(), grouped: false } : { condition: group, grouped: true }
  }

  /**
   * True if the next token continues a comparison, so that the parentheses before the token belong
   * to an operand.
   */
  private get goesOn(): boolean {
    const { text, kind } = this.tokens.next
    if (kind === 'word') return ['BETWEEN', 'IN'].includes(text.toUpperCase())
    return kind === 'symbol' && ([...comparators, '.', '['] as string[]).includes(text)
  }

  private comparison(): Comparison {
    const { tokens } = this
    const of = this.operand()
    const operator = comparators.find((text) => tokens.symbol(text))
    if (operator !== undefined) return { kind: 'compare', operator, left: of, right: this.operand() }
    if (tokens.keyword('BETWEEN')) {
      const low = this.operand()
      if (!tokens.keyword('AND')) tokens.fail()
      return { kind: 'between', of, low, high: this.operand() }
    }
    if (tokens.keyword('IN')) {
      tokens.expect('(')
      const options = this.list(() => this.operand())
      tokens.expect(')')
      return { kind: 'in', of, options }
    }
    return of.kind === 'function' ? of : tokens.fail()
  }
}
