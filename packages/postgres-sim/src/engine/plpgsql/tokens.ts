import { UnsupportedSql } from '../sql-error.ts'

/** A word, quoted text or sign of a function body. Comments and spaces are skipped. */
export interface Token {
  readonly text: string
  readonly isWord: boolean
  readonly from: number
  readonly to: number
}

const shapes =
  /\s+|--[^\n]*|\/\*[\s\S]*?\*\/|(\$[A-Za-z_]*\$)[\s\S]*?\1|[eE]?'(?:[^']|'')*'|"(?:[^"]|"")*"|([A-Za-z_][\w$]*)|\d[\w.]*|:=|[\s\S]/y

export function tokensOf(body: string): Token[] {
  const found: Token[] = []
  shapes.lastIndex = 0
  while (shapes.lastIndex < body.length) {
    const from = shapes.lastIndex
    const [text, , word] = shapes.exec(body)!
    if (/^e'/i.test(text) && text.includes('\\')) throw new UnsupportedSql('an escaped text in PL/pgSQL')
    if (/^(\s|--|\/\*)/.test(text)) continue
    found.push({
      text: word === undefined ? text : text.toLowerCase(),
      isWord: word !== undefined,
      from,
      to: shapes.lastIndex,
    })
  }
  return found
}
