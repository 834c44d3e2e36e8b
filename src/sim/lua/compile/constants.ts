/**
 * Finds what can be known before a script runs: since Redis 7.0 makes globals and libraries read-only, `redis.call` or
 * `math.huge` is the same in every execution. KEYS and ARGV are not.
 */
import { globals } from '../globals.ts'
import { LuaTable } from '../runtime/table.ts'
import type { LuaValue } from '../runtime/values.ts'
import type { Expression } from '../syntax/ast.ts'

export const perExecution = new Set(['KEYS', 'ARGV'])

/** The value of a global or of a library's field; undefined when it is not known or is nil. */
export function constantOf(expression: Expression): LuaValue {
  if (expression.kind === 'global') {
    return perExecution.has(expression.name) ? undefined : globals.getString(expression.name)
  }
  if (expression.kind !== 'index' || expression.key.kind !== 'string') return undefined
  const owner = constantOf(expression.object)
  if (!(owner instanceof LuaTable) || (owner === globals && perExecution.has(expression.key.value))) return undefined
  return owner.readOnly ? owner.getString(expression.key.value) : undefined
}

/** Values that compiled code refers to by name, `$k0`, `$k1` … */
export class Constants {
  readonly list: LuaValue[] = []

  reference(value: LuaValue): string {
    let index = this.list.indexOf(value)
    if (index < 0) index = this.list.push(value) - 1
    return `$k${index}`
  }
}
