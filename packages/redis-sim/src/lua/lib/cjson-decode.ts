/**
 * `cjson.decode` of lua-cjson 2.1, including its errors and its tolerance for invalid JSON numbers.
 */
import { raise } from '../runtime/errors.ts'
import { strtod } from '../runtime/number-parse.ts'
import { LuaTable } from '../runtime/table.ts'
import type { LuaValue } from '../runtime/values.ts'
import type { CjsonConfig } from './cjson-config.ts'
import { jsonNull } from './cjson-null.ts'

interface Token {
  type: string
  value: LuaValue
  /** Index of the token in the text, starting at 0. */
  index: number
}

const symbols: Record<string, string> = {
  '{': 'T_OBJ_BEGIN',
  '}': 'T_OBJ_END',
  '[': 'T_ARR_BEGIN',
  ']': 'T_ARR_END',
  ',': 'T_COMMA',
  ':': 'T_COLON',
}
const escapes: Record<string, string> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  t: '\t',
  n: '\n',
  f: '\f',
  r: '\r',
}
const beginsWord = /[finIN+t]/
const invalidNumber = /^(?:\+|-?(?:0[xX0-9]|[iI][nN][fF]|[nN][aA][nN]))/

export function decode(text: string, config: CjsonConfig): LuaValue {
  if (text.length >= 2 && (text[0] === '\0' || text[1] === '\0')) {
    raise('JSON parser does not support UTF-16 or UTF-32')
  }
  const decoder = new Decoder(text, config)
  const value = decoder.value(decoder.next())
  const rest = decoder.next()
  if (rest.type !== 'T_END') decoder.fail('the end', rest)
  return value
}

class Decoder {
  private at = 0
  private depth = 0

  constructor(
    private readonly text: string,
    private readonly config: CjsonConfig,
  ) {}

  fail(expected: string, token: Token): never {
    const found = token.type === 'T_ERROR' ? token.value : token.type
    raise(`Expected ${expected} but found ${found} at character ${token.index + 1}`)
  }

  private error(token: Token, message: string): Token {
    token.type = 'T_ERROR'
    token.value = message
    // For an error, the index is the position of the error, not the start of the token.
    token.index = this.at
    return token
  }

  next(): Token {
    while (' \t\n\r'.includes(this.text[this.at] ?? '\0')) this.at++
    const token: Token = { type: 'T_END', value: undefined, index: this.at }
    const character = this.text[this.at] ?? '\0'
    if (character === '\0') return token
    const symbol = symbols[character]
    if (symbol !== undefined) {
      token.type = symbol
      this.at++
      return token
    }
    if (character === '"') return this.string(token)
    if (character === '-' || (character >= '0' && character <= '9')) {
      if (!this.config.decodeInvalidNumbers && this.isInvalidNumber()) return this.error(token, 'invalid number')
      return this.number(token)
    }
    return beginsWord.test(character) ? this.word(token) : this.error(token, 'invalid token')
  }

  private word(token: Token): Token {
    const words: [string, string, LuaValue][] = [
      ['true', 'T_BOOLEAN', true],
      ['false', 'T_BOOLEAN', false],
      ['null', 'T_NULL', jsonNull],
    ]
    for (const [word, type, value] of words) {
      if (!this.text.startsWith(word, this.at)) continue
      this.at += word.length
      return { type, value, index: token.index }
    }
    if (this.config.decodeInvalidNumbers && this.isInvalidNumber()) return this.number(token)
    return this.error(token, 'invalid token')
  }

  private isInvalidNumber(): boolean {
    return invalidNumber.test(this.text.slice(this.at, this.at + 5))
  }

  private number(token: Token): Token {
    const end = this.text.slice(this.at).search(/[^-+0-9a-zA-Z.()_]/)
    const { value, length } = strtod(end < 0 ? this.text.slice(this.at) : this.text.slice(this.at, this.at + end))
    if (length === 0) return this.error(token, 'invalid number')
    this.at += length
    token.type = 'T_NUMBER'
    token.value = value
    return token
  }

  private string(token: Token): Token {
    let text = ''
    this.at++
    for (;;) {
      const from = this.at
      while (this.at < this.text.length && !'"\\\0'.includes(this.text[this.at]!)) this.at++
      text += this.text.slice(from, this.at)
      const character = this.text[this.at] ?? '\0'
      if (character === '"') break
      if (character === '\0') return this.error(token, 'unexpected end of string')
      const letter = this.text[this.at + 1] ?? '\0'
      if (letter === 'u') {
        const bytes = this.unicode()
        if (bytes === null) return this.error(token, 'invalid unicode escape code')
        text += bytes
      } else {
        const plain = escapes[letter]
        if (plain === undefined) return this.error(token, 'invalid escape code')
        text += plain
        this.at += 2
      }
    }
    this.at++
    token.type = 'T_STRING'
    token.value = text
    return token
  }

  private hex4(at: number): number {
    const digits = this.text.slice(at, at + 4)
    return /^[0-9a-fA-F]{4}$/.test(digits) ? Number.parseInt(digits, 16) : -1
  }

  /** Decodes a `\u` escape to UTF-8 bytes, joining surrogate pairs. */
  private unicode(): string | null {
    let point = this.hex4(this.at + 2)
    if (point < 0) return null
    let length = 6
    if ((point & 0xf800) === 0xd800) {
      if (point & 0x400 || this.text.slice(this.at + 6, this.at + 8) !== '\\u') return null
      const second = this.hex4(this.at + 8)
      if (second < 0 || (second & 0xfc00) !== 0xdc00) return null
      point = (((point & 0x3ff) << 10) | (second & 0x3ff)) + 0x10000
      length = 12
    }
    this.at += length
    return Buffer.from(String.fromCodePoint(point), 'utf8').toString('latin1')
  }

  value(token: Token): LuaValue {
    switch (token.type) {
      case 'T_STRING':
      case 'T_NUMBER':
      case 'T_BOOLEAN':
      case 'T_NULL':
        return token.value
      case 'T_OBJ_BEGIN':
        return this.object()
      case 'T_ARR_BEGIN':
        return this.array()
      default:
        this.fail('value', token)
    }
  }

  private descend(): void {
    if (++this.depth > this.config.decodeMaxDepth) {
      raise(`Found too many nested data structures (${this.depth}) at character ${this.at}`)
    }
  }

  private object(): LuaTable {
    this.descend()
    const table = new LuaTable()
    let token = this.next()
    if (token.type !== 'T_OBJ_END') {
      for (;;) {
        if (token.type !== 'T_STRING') this.fail('object key string', token)
        const key = token.value
        const colon = this.next()
        if (colon.type !== 'T_COLON') this.fail('colon', colon)
        table.set(key, this.value(this.next()))
        token = this.next()
        if (token.type === 'T_OBJ_END') break
        if (token.type !== 'T_COMMA') this.fail('comma or object end', token)
        token = this.next()
      }
    }
    this.depth--
    return table
  }

  private array(): LuaTable {
    this.descend()
    const table = new LuaTable()
    let token = this.next()
    if (token.type !== 'T_ARR_END') {
      for (let index = 1; ; index++) {
        table.set(index, this.value(token))
        token = this.next()
        if (token.type === 'T_ARR_END') break
        if (token.type !== 'T_COMMA') this.fail('comma or array end', token)
        token = this.next()
      }
    }
    this.depth--
    return table
  }
}
