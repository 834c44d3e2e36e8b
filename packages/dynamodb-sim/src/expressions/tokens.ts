export interface Token {
  readonly kind: 'word' | 'name' | 'value' | 'index' | 'symbol' | 'end'
  readonly text: string
  readonly start: number
  readonly end: number
}

const grammar = /([a-zA-Z_][0-9a-zA-Z_]*)|(#[0-9a-zA-Z_]*)|(:[0-9a-zA-Z_]*)|(\d+)|(<>|<=|>=|[^ \t\r\n])/g

function tokensOf(text: string): Token[] {
  const kinds = ['word', 'name', 'value', 'index', 'symbol'] as const
  const tokens: Token[] = [...text.matchAll(grammar)].map((match) => ({
    kind: kinds[match.slice(1).findIndex((group) => group !== undefined)]!,
    text: match[0],
    start: match.index,
    end: match.index + match[0].length,
  }))
  return [...tokens, { kind: 'end', text: '<EOF>', start: text.length, end: text.length }]
}

/** Thrown if parsing fails. The parser may then try an alternative. */
export class Unreadable extends Error {}

/** The tokens of one expression. The position can be reset for backtracking. */
export class Tokens {
  readonly #tokens: readonly Token[]
  /** Index of the next token. */
  at = 0
  /** Index of the farthest token that any alternative reached. Error messages name this token. */
  #farthest = 0

  constructor(
    readonly text: string,
    /** Words that are not attribute names, in upper case. */
    readonly keywords: ReadonlySet<string>,
  ) {
    this.#tokens = tokensOf(text)
  }

  get next(): Token {
    return this.#tokens[this.at]!
  }

  take(): Token {
    const token = this.next
    this.at++
    this.#farthest = Math.max(this.#farthest, this.at)
    return token
  }

  fail(): never {
    throw new Unreadable()
  }

  /** Consumes the next token if it is the symbol `text`. */
  symbol(text: string): boolean {
    if (this.next.kind !== 'symbol' || this.next.text !== text) return false
    this.take()
    return true
  }

  keyword(word: string): boolean {
    if (!this.isKeyword || this.next.text.toUpperCase() !== word) return false
    this.take()
    return true
  }

  get isKeyword(): boolean {
    return this.next.kind === 'word' && this.keywords.has(this.next.text.toUpperCase())
  }

  expect(symbol: string): void {
    if (!this.symbol(symbol)) this.fail()
  }

  /** The token at which parsing failed, and the text around it. */
  get problem(): string {
    const tokens = this.#tokens
    const at = Math.min(this.#farthest, tokens.length - 1)
    const from = tokens[Math.max(0, at - 1)]!
    const to = tokens[Math.min(tokens.length - 1, at + 1)]!
    const near = this.text.slice(from.start, to.end).trimEnd()
    return `Syntax error; token: "${tokens[at]!.text}", near: "${near}"`
  }
}
