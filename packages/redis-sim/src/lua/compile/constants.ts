/**
 * Finds values that are known before a script runs. Redis 7.0 makes globals and libraries
 * read-only, so `redis.call` or `math.huge` is the same in every execution. KEYS and ARGV differ
 * between executions.
 */
import { globals } from '../globals.ts'
import { LuaTable } from '../runtime/table.ts'
import type { LuaValue } from '../runtime/values.ts'
import type { Expression } from '../syntax/ast.ts'

const perExecution = new Set(['KEYS', 'ARGV'])

/** The value of a global or of a library's field; undefined if it is unknown or nil. */
function constantOf(expression: Expression): LuaValue {
  if (expression.kind === 'global') {
    return perExecution.has(expression.name) ? undefined : globals.getString(expression.name)
  }
  if (expression.kind !== 'index' || expression.key.kind !== 'string') return undefined
  const owner = constantOf(expression.object)
  if (!(owner instanceof LuaTable) || (owner === globals && perExecution.has(expression.key.value))) return undefined
  return owner.readOnly ? owner.getString(expression.key.value) : undefined
}

/** Values that compiled code refers to by name: `$k0`, `$k1`, … */
export class Constants {
  readonly list: LuaValue[] = []

  /**
   * `environment` is the table in which globals are looked up at run time. If it is null, the
   * globals are those of scripts and are resolved at compile time if known.
   */
  constructor(readonly environment: LuaTable | null) {}

  /** Like `constantOf`; undefined if the globals are not those of scripts. */
  known(expression: Expression): LuaValue {
    return this.environment === null ? constantOf(expression) : undefined
  }

  /** The JavaScript text that reads a global. `site` is the text of the error site. */
  global(name: string, site: () => string): string {
    if (this.environment !== null) {
      return `field(${this.reference(this.environment)}, ${JSON.stringify(name)}, ${site()})`
    }
    if (perExecution.has(name)) return `$g.${name}`
    const known = globals.getString(name)
    return known === undefined ? `unknownGlobal(${JSON.stringify(name)}, ${site()})` : this.literal(known)
  }

  literal(value: LuaValue): string {
    if (typeof value === 'number') return String(value)
    return typeof value === 'string' ? JSON.stringify(value) : this.reference(value)
  }

  reference(value: LuaValue): string {
    let index = this.list.indexOf(value)
    if (index < 0) index = this.list.push(value) - 1
    return `$k${index}`
  }
}
