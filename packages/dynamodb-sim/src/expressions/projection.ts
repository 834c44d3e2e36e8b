import { OperandParser, type Path } from './operands.ts'
import type { Placeholders } from './placeholders.ts'
import { Tokens } from './tokens.ts'

/** @returns the error message as a string if the text cannot be parsed */
export function readProjection(text: string, placeholders: Placeholders): readonly Path[] | string {
  const tokens = new Tokens(text, new Set())
  const parser = new OperandParser(tokens, placeholders)
  const paths = parser.attempt(() => {
    const all = parser.list(() => parser.path())
    return tokens.next.kind === 'end' ? all : tokens.fail()
  })
  return paths ?? tokens.problem
}
