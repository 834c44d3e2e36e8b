/**
 * Lua 5.1's lexer over a byte string. The order of checks is that of the reference implementation,
 * because the error texts reach Redis clients ("unfinished string near …").
 */
import { parseNumber } from '../runtime/number-parse.ts'

/** A syntax error, prefixed with Lua's position: `user_script:1: …`. */
export class LuaSyntaxError {
  constructor(readonly message: string) {}
}

export const reservedWords = new Set(
  'and break do else elseif end false for function if in local nil not or repeat return then true until while'.split(
    ' ',
  ),
)

/** `type` is the word or symbol itself, or one of `<name>`, `<string>`, `<number>`, `<eof>`. */
export interface Token {
  type: string
  text: string
  value: number
}

const isDigit = (c: number) => c >= 48 && c <= 57
const isNameStart = (c: number) => (c >= 65 && c <= 90) || (c >= 97 && c <= 122) || c === 95
const isSpace = (c: number) => c === 32 || (c >= 9 && c <= 13)
const simpleEscapes: Record<string, string> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
}

export class Lexer {
  private position = 0
  /** Line of the last character read. */
  line = 1
  /** Raw text of the last name, string or number, for error messages. */
  private buffer = ''

  constructor(
    private readonly source: string,
    private readonly chunkName: string,
  ) {}

  fail(message: string, near?: string): never {
    const text = near === undefined ? '' : ` near '${near.split('\0', 1)[0]}'`
    throw new LuaSyntaxError(`${this.chunkName}:${this.line}: ${message}${text}`)
  }

  failNear(message: string, token: Token): never {
    // C treats token 0 as the absence of a token.
    this.fail(message, token.type === '\0' ? undefined : this.textOf(token))
  }

  private textOf(token: Token): string {
    if (token.type === '<name>' || token.type === '<string>' || token.type === '<number>') return this.buffer
    const code = token.type.charCodeAt(0)
    return token.type.length === 1 && (code < 32 || code === 127) ? `char(${code})` : token.type
  }

  private at(offset = 0): number {
    const index = this.position + offset
    return index < this.source.length ? this.source.charCodeAt(index) : -1
  }

  private newline(): void {
    const first = this.at()
    this.position++
    const second = this.at()
    if ((second === 10 || second === 13) && second !== first) this.position++
    this.line++
  }

  next(): Token {
    for (;;) {
      const c = this.at()
      if (c === -1) return { type: '<eof>', text: '', value: 0 }
      if (c === 10 || c === 13) this.newline()
      else if (isSpace(c)) this.position++
      else if (c === 45 && this.at(1) === 45) this.skipComment()
      else return this.token(c)
    }
  }

  private skipComment(): void {
    this.position += 2
    if (this.at() === 91) {
      const level = this.longBracketLevel()
      if (level >= 0) {
        this.longText(level, 'unfinished long comment')
        return
      }
    }
    for (let c = this.at(); c !== 10 && c !== 13 && c !== -1; c = this.at()) this.position++
  }

  private symbol(text: string): Token {
    this.position += text.length
    return { type: text, text, value: 0 }
  }

  private token(c: number): Token {
    const character = String.fromCharCode(c)
    if (c === 91) return this.openBracket()
    if (character === '=' || character === '<' || character === '>' || character === '~')
      return this.symbol(this.at(1) === 61 ? `${character}=` : character)
    if (character === '"' || character === "'") return this.quoted(c)
    if (c === 46) {
      if (this.at(1) === 46) return this.symbol(this.at(2) === 46 ? '...' : '..')
      return isDigit(this.at(1)) ? this.numeral() : this.symbol('.')
    }
    if (isDigit(c)) return this.numeral()
    if (isNameStart(c)) return this.name()
    return this.symbol(character)
  }

  private name(): Token {
    const start = this.position
    while (isNameStart(this.at()) || isDigit(this.at())) this.position++
    const text = this.source.slice(start, this.position)
    if (reservedWords.has(text)) return { type: text, text, value: 0 }
    this.buffer = text
    return { type: '<name>', text, value: 0 }
  }

  private numeral(): Token {
    const start = this.position
    while (isDigit(this.at()) || this.at() === 46) this.position++
    // C's `strchr` also finds the terminating NUL of its set, so a NUL is accepted as an exponent
    // and as a sign.
    if ([69, 101, 0].includes(this.at())) {
      this.position++
      if ([43, 45, 0].includes(this.at())) this.position++
    }
    while (isNameStart(this.at()) || isDigit(this.at())) this.position++
    this.buffer = this.source.slice(start, this.position)
    const value = parseNumber(this.buffer)
    if (value === undefined) this.fail('malformed number', this.buffer)
    return { type: '<number>', text: this.buffer, value }
  }

  /**
   * Called at `[`. Returns the number of `=` in the opening of a long bracket; -1 for a single
   * bracket; less than -1 for `[=` without the second bracket.
   */
  private longBracketLevel(): number {
    let count = 0
    while (this.at(1 + count) === 61) count++
    return this.at(1 + count) === 91 ? count : -count - 1
  }

  private openBracket(): Token {
    const level = this.longBracketLevel()
    if (level >= 0) {
      const start = this.position
      const text = this.longText(level, 'unfinished long string')
      this.buffer = this.source.slice(start, this.position)
      return { type: '<string>', text, value: 0 }
    }
    if (level === -1) return this.symbol('[')
    this.fail('invalid long string delimiter', this.source.slice(this.position, this.position - level))
  }

  /**
   * Called at the first `[` of a long bracket. Returns the content, with all line ends converted to
   * line feeds.
   */
  private longText(level: number, unfinished: string): string {
    this.position += level + 2
    let text = ''
    if (this.at() === 10 || this.at() === 13) this.newline()
    const close = `]${'='.repeat(level)}]`
    for (;;) {
      const c = this.at()
      if (c === -1) this.fail(unfinished, '<eof>')
      if (c === 93 && this.source.startsWith(close, this.position)) {
        this.position += close.length
        return text
      }
      if (c === 10 || c === 13) {
        this.newline()
        text += '\n'
      } else {
        text += String.fromCharCode(c)
        this.position++
      }
    }
  }

  private quoted(quote: number): Token {
    const opening = String.fromCharCode(quote)
    let text = ''
    this.position++
    for (;;) {
      const c = this.at()
      if (c === quote) break
      if (c === -1) this.fail('unfinished string', '<eof>')
      if (c === 10 || c === 13) this.fail('unfinished string', opening + text)
      if (c === 92) text += this.escape(opening + text)
      else {
        text += String.fromCharCode(c)
        this.position++
      }
    }
    this.position++
    this.buffer = opening + text + opening
    return { type: '<string>', text, value: 0 }
  }

  private escape(before: string): string {
    this.position++
    const c = this.at()
    if (c === -1) return ''
    if (c === 10 || c === 13) {
      this.newline()
      return '\n'
    }
    if (!isDigit(c)) {
      this.position++
      const character = String.fromCharCode(c)
      return simpleEscapes[character] ?? character
    }
    let code = 0
    for (let digits = 0; digits < 3 && isDigit(this.at()); digits++) {
      code = code * 10 + this.at() - 48
      this.position++
    }
    if (code > 255) this.fail('escape sequence too large', before)
    return String.fromCharCode(code)
  }
}
