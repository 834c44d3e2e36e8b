import { type Operand, OperandParser, type Path, type ValueOperand } from './operands.ts'
import type { Placeholders } from './placeholders.ts'
import { Tokens } from './tokens.ts'

/** The right side of an assignment. */
export type Assigned =
  | Operand
  | { readonly kind: 'sum'; readonly operator: '+' | '-'; readonly left: Operand; readonly right: Operand }

export type Action =
  | { readonly kind: 'SET'; readonly path: Path; readonly value: Assigned }
  | { readonly kind: 'REMOVE'; readonly path: Path }
  | { readonly kind: 'ADD' | 'DELETE'; readonly path: Path; readonly value: ValueOperand }

const sections = ['SET', 'REMOVE', 'ADD', 'DELETE'] as const
export type Section = (typeof sections)[number]

export interface ReadUpdate {
  /** The sections in the order of the text. */
  readonly sections: readonly Section[]
  readonly actions: readonly Action[]
}

/** @returns the error message as a string if the text cannot be parsed */
export function readUpdate(text: string, placeholders: Placeholders): ReadUpdate | string {
  const tokens = new Tokens(text, new Set(sections))
  const parser = new UpdateParser(tokens, placeholders)
  return parser.attempt(() => parser.whole()) ?? tokens.problem
}

class UpdateParser extends OperandParser {
  whole(): ReadUpdate {
    const read: { section: Section; actions: Action[] }[] = []
    do {
      const section = sections.find((name) => this.tokens.keyword(name)) ?? this.tokens.fail()
      read.push({ section, actions: this.list(() => this.action(section)) })
    } while (this.tokens.next.kind !== 'end')
    return { sections: read.map(({ section }) => section), actions: read.flatMap(({ actions }) => actions) }
  }

  private action(kind: Section): Action {
    const { tokens } = this
    const path = this.path()
    if (kind === 'REMOVE') return { kind, path }
    if (kind === 'SET') {
      tokens.expect('=')
      return { kind, path, value: this.assigned() }
    }
    if (tokens.next.kind !== 'value') tokens.fail()
    return { kind, path, value: this.operand() as ValueOperand }
  }

  private assigned(): Assigned {
    const { tokens } = this
    const inParentheses = this.attempt(() => {
      tokens.expect('(')
      const value = this.sumOrOperand()
      tokens.expect(')')
      return ['+', '-'].includes(tokens.next.text) ? tokens.fail() : value
    })
    return inParentheses ?? this.sumOrOperand()
  }

  private sumOrOperand(): Assigned {
    const left = this.operand()
    const operator = (['+', '-'] as const).find((text) => this.tokens.symbol(text))
    return operator === undefined ? left : { kind: 'sum', operator, left, right: this.operand() }
  }
}
