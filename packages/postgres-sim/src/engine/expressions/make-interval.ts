import type { FuncCall } from 'libpg-query'
import { SqlError } from '../sql-error.ts'
import { types } from '../values/types.ts'
import type { Analysis, Scope } from './analysis.ts'
import { coerce } from './coerce.ts'
import type { Expression } from './expression.ts'

const names = ['years', 'months', 'weeks', 'days', 'hours', 'mins', 'secs']

/** Compiles make_interval(secs => 30), whose arguments may be named. */
export function makeInterval(analysis: Analysis, node: FuncCall, scope: Scope): Expression {
  const parts = new Map<string, Expression>()
  ;(node.args ?? []).forEach((one, i) => {
    const name = 'NamedArgExpr' in one ? one.NamedArgExpr.name! : names[i]
    const given = analysis.expression('NamedArgExpr' in one ? one.NamedArgExpr.arg! : one, scope)
    const typed =
      name && names.includes(name)
        ? coerce(analysis, given, name === 'secs' ? types.float8 : types.int4, 'implicit')
        : null
    if (!name || !typed) {
      throw new SqlError(
        '42883',
        `function make_interval(${name === undefined ? '' : `${name} => `}${given.type.title}) does not exist`,
        {
          hint: 'No function matches the given name and argument types. You might need to add explicit type casts.',
          position: (node.location ?? 0) + 1,
        },
      )
    }
    parts.set(name, typed)
  })
  return {
    type: types.interval,
    typmod: -1,
    evaluate(row) {
      const values = names.map((name) => (parts.has(name) ? parts.get(name)!.evaluate(row) : 0))
      if (values.includes(null)) return null
      const [years, months, weeks, days, hours, mins, secs] = values as [
        number,
        number,
        number,
        number,
        number,
        number,
        number,
      ]
      if (!Number.isFinite(secs)) throw new SqlError('22008', 'interval out of range')
      return {
        months: years * 12 + months,
        days: weeks * 7 + days,
        us: hours * 3600e6 + mins * 60e6 + Math.round(secs * 1e6),
      }
    },
  }
}
