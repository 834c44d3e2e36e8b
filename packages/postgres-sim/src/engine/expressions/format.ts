import { quotedName } from '../rows/node-title.ts'
import { SqlError, UnsupportedSql } from '../sql-error.ts'
import { types } from '../values/types.ts'
import type { Analysis } from './analysis.ts'
import { coerce } from './coerce.ts'
import type { Expression } from './expression.ts'

/** Quotes a text like quote_literal() of PostgreSQL. */
function quotedText(text: string): string {
  const quoted = `'${text.replaceAll("'", "''").replaceAll('\\', '\\\\')}'`
  return text.includes('\\') ? `E${quoted}` : quoted
}

/**
 * Compiles format() without widths:
 * https://www.postgresql.org/docs/15/functions-string.html#FUNCTIONS-STRING-FORMAT
 */
export function format(analysis: Analysis, args: readonly Expression[]): Expression {
  const [first, ...rest] = args
  if (!first) throw new SqlError('42883', 'function format() does not exist')
  analysis.callsMutable = true
  const text = coerce(analysis, first, types.text, 'implicit')
  if (!text) throw new UnsupportedSql('format() of a value that is not text')
  const typed = rest.map((one) => analysis.anyType(one))
  return {
    type: types.text,
    typmod: -1,
    evaluate(row) {
      const given = text.evaluate(row)
      if (given === null) return null
      let next = 0
      const textAt = (at: number): string | null => {
        const one = typed[at]
        if (!one) throw new SqlError('22023', 'too few arguments for format()')
        const value = one.evaluate(row)
        if (value === null) return null
        return one.type === types.bool ? (value ? 't' : 'f') : one.type.write(value)
      }
      return (given as string).replace(/%(%|(?:(\d+)\$)?([sIL])|[\s\S]?)/g, (all, what: string, place, kind) => {
        if (what === '%') return '%'
        if (kind === undefined) {
          if (what === '')
            throw new SqlError('22023', 'unterminated format() type specifier', { hint: 'For a single "%" use "%%".' })
          throw new UnsupportedSql(`format() with ${all}`)
        }
        if (place === '0') throw new SqlError('22023', 'format specifies argument 0, but arguments are numbered from 1')
        const at = place === undefined ? next : Number(place) - 1
        next = at + 1
        const value = textAt(at)
        if (kind === 's') return value ?? ''
        if (kind === 'L') return value === null ? 'NULL' : quotedText(value)
        if (value !== null) return quotedName(value)
        throw new SqlError('22004', 'null values cannot be formatted as an SQL identifier')
      })
    },
  }
}
