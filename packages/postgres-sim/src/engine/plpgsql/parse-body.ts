/**
 * Parses the supported part of PL/pgSQL: variables, SQL with INTO, IF, EXECUTE of a text,
 * assignments and RETURN.
 */
import type { Node, TypeName } from 'libpg-query'
import { parseSql } from '../parser/parse-sql.ts'
import { UnsupportedSql } from '../sql-error.ts'
import { type Token, tokensOf } from './tokens.ts'

/** SQL that may use variables, with its line in the body, from 1. */
export interface Part {
  readonly sql: string
  readonly node: Node
  readonly line: number
}

export type BodyStatement =
  | { readonly kind: 'sql'; readonly part: Part; readonly into: readonly string[] }
  | { readonly kind: 'assign'; readonly part: Part; readonly to: string }
  | { readonly kind: 'execute'; readonly part: Part }
  | {
      readonly kind: 'if'
      readonly branches: readonly (readonly [when: Part, then: readonly BodyStatement[]])[]
      readonly otherwise: readonly BodyStatement[]
    }
  | { readonly kind: 'return' }
  | { readonly kind: 'nothing' }

export interface Declared {
  readonly name: string
  readonly type: TypeName
  readonly initial: Part | null
}

export interface Body {
  readonly variables: readonly Declared[]
  readonly statements: readonly BodyStatement[]
}

/** The first words of SQL statements. */
const verbs = new Set([
  'select',
  'with',
  'insert',
  'update',
  'delete',
  'create',
  'alter',
  'drop',
  'truncate',
  'lock',
  'notify',
])

class Parser {
  private readonly body: string
  private readonly tokens: readonly Token[]
  private at = 0

  constructor(body: string) {
    this.body = body
    this.tokens = tokensOf(body)
  }

  private get word(): string {
    const token = this.tokens[this.at]
    return token?.isWord ? token.text : ''
  }

  private isAt(...words: readonly string[]): boolean {
    return words.includes(this.word)
  }

  private take(text: string): void {
    const token = this.tokens[this.at++]
    if (token?.text !== text) throw new UnsupportedSql(`PL/pgSQL at ${token ? JSON.stringify(token.text) : 'its end'}`)
  }

  /**
   * Returns the tokens up to the first of these end tokens outside of parentheses. The end token
   * itself is not consumed.
   */
  private upTo(...ends: readonly string[]): Token[] {
    const found: Token[] = []
    for (let depth = 0; this.at < this.tokens.length; this.at++) {
      const token = this.tokens[this.at]!
      if (depth === 0 && ends.includes(token.text)) return found
      if (token.text === '(') depth++
      else if (token.text === ')') depth--
      found.push(token)
    }
    throw new UnsupportedSql('PL/pgSQL without an end')
  }

  private textOf(tokens: readonly Token[]): string {
    return tokens.length === 0 ? '' : this.body.slice(tokens[0]!.from, tokens.at(-1)!.to)
  }

  private part(sql: string, at: Token | undefined): Part {
    const line = this.body.slice(0, at?.from ?? 0).split('\n').length
    const [only, ...more] = parseSql(sql)
    if (!only || more.length > 0) throw new UnsupportedSql('PL/pgSQL with this SQL statement')
    return { sql, node: only.node, line }
  }

  private expression(...ends: readonly string[]): Part {
    const tokens = this.upTo(...ends)
    return this.part(`SELECT ${this.textOf(tokens)}`, tokens[0])
  }

  parse(): Body {
    const variables: Declared[] = []
    if (this.isAt('declare')) {
      this.at++
      while (!this.isAt('begin')) variables.push(this.declaration())
    }
    this.take('begin')
    const statements = this.statements('end')
    this.take('end')
    if (this.tokens[this.at]?.text === ';') this.at++
    if (this.at < this.tokens.length) throw new UnsupportedSql('PL/pgSQL after its last END')
    return { variables, statements }
  }

  private declaration(): Declared {
    const { text: name, isWord } = this.tokens[this.at++]!
    const type = this.upTo(':=', '=', 'default', ';')
    if (!isWord || type.some(({ text }) => ['constant', 'not', 'cursor', 'alias', '%'].includes(text)))
      throw new UnsupportedSql(`the declaration of ${name} in PL/pgSQL`)
    const { node } = this.part(`SELECT NULL::${this.textOf(type)}`, type[0])
    const target = 'SelectStmt' in node ? node.SelectStmt.targetList?.[0] : undefined
    const cast = target && 'ResTarget' in target ? target.ResTarget.val : undefined
    if (!cast || !('TypeCast' in cast)) throw new UnsupportedSql(`the declaration of ${name} in PL/pgSQL`)
    const hasValue = this.tokens[this.at]!.text !== ';'
    if (hasValue) this.at++
    const initial = hasValue ? this.expression(';') : null
    this.take(';')
    return { name, type: cast.TypeCast.typeName!, initial }
  }

  private statements(...ends: readonly string[]): BodyStatement[] {
    const found: BodyStatement[] = []
    while (!this.isAt(...ends)) found.push(this.statement())
    return found
  }

  private statement(): BodyStatement {
    const { word } = this
    if (word === 'if') return this.condition()
    if (verbs.has(word)) return this.sql()
    const first = this.tokens[this.at++]
    const made = this.simple(word)
    if (made) {
      this.take(';')
      return made
    }
    if (word !== '' && [':=', '='].includes(this.tokens[this.at]?.text ?? '')) {
      this.at++
      const part = this.expression(';')
      this.take(';')
      return { kind: 'assign', part, to: word }
    }
    throw new UnsupportedSql(`PL/pgSQL ${first?.text.toUpperCase() ?? 'without an end'}`)
  }

  private simple(word: string): BodyStatement | null {
    if (word === 'return' && this.tokens[this.at]?.text === ';') return { kind: 'return' }
    if (word === 'null') return { kind: 'nothing' }
    if (word === 'perform') return { kind: 'sql', part: this.expression(';'), into: [] }
    if (word !== 'execute') return null
    const part = this.expression(';', 'into', 'using')
    if (this.word !== '') throw new UnsupportedSql(`PL/pgSQL EXECUTE … ${this.word.toUpperCase()}`)
    return { kind: 'execute', part }
  }

  private condition(): BodyStatement {
    const branches: [Part, readonly BodyStatement[]][] = []
    let otherwise: readonly BodyStatement[] = []
    while (this.isAt('if', 'elsif', 'elseif')) {
      this.at++
      const when = this.expression('then')
      this.take('then')
      branches.push([when, this.statements('elsif', 'elseif', 'else', 'end')])
    }
    if (this.isAt('else')) {
      this.at++
      otherwise = this.statements('end')
    }
    for (const text of ['end', 'if', ';']) this.take(text)
    return { kind: 'if', branches, otherwise }
  }

  /**
   * Parses an SQL statement. INTO names variables, unless it is part of INSERT; the rest of the
   * statement is SQL.
   */
  private sql(): BodyStatement {
    const tokens = this.upTo(';')
    this.take(';')
    let depth = 0
    const at = tokens.findIndex((token, i) => {
      depth += token.text === '(' ? 1 : token.text === ')' ? -1 : 0
      return depth === 0 && token.isWord && token.text === 'into' && tokens[i - 1]?.text !== 'insert'
    })
    if (at < 0) return { kind: 'sql', part: this.part(this.textOf(tokens), tokens[0]), into: [] }
    const into: string[] = []
    let next = at
    do {
      const name = tokens[next + 1]
      if (!name?.isWord || name.text === 'strict') throw new UnsupportedSql('this form of INTO in PL/pgSQL')
      into.push(name.text)
      next += 2
    } while (tokens[next]?.text === ',')
    const rest = tokens.slice(next)
    if (rest[0]?.text === '.') throw new UnsupportedSql('this form of INTO in PL/pgSQL')
    const sql = `${this.textOf(tokens.slice(0, at))} ${this.textOf(rest)}`
    return { kind: 'sql', part: this.part(sql, tokens[0]), into }
  }
}

export function parseBody(body: string): Body {
  return new Parser(body).parse()
}
