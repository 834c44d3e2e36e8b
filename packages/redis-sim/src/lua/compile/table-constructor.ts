/**
 * Table constructors, with Lua's initial sizes for new tables, which determine the order of
 * traversal.
 */
import type { Expression, TableField } from '../syntax/ast.ts'
import type { ExpressionEmitter } from './expressions.ts'
import { isMulti } from './static-facts.ts'

/** Lua stores list items from its stack in batches of this size. */
const itemsPerFlush = 50

/** Lua's instructions encode sizes as a "floating point byte", which rounds them up. */
function roundedSize(size: number): number {
  let exponent = 0
  while (size >= 16) {
    size = (size + 1) >> 1
    exponent++
  }
  return size << exponent
}

export function emitTable(emitter: ExpressionEmitter, { fields, line }: Expression & { kind: 'table' }): string {
  if (fields.length === 0) return 'new LuaTable()'
  const items = fields.filter((field) => field.key === null)
  const last = fields.at(-1)!
  const open = last.key === null && isMulti(last.value)
  const arraySize = roundedSize(items.length - (open ? 1 : 0))
  const hashSize = roundedSize(fields.length - items.length)
  if (hashSize === 0 && !open && items.length <= itemsPerFlush) {
    const padding = Array.from({ length: arraySize - items.length }, () => ', undefined').join('')
    return `new LuaTable([${items.map((item) => emitter.value(item.value)).join(', ')}${padding}])`
  }
  return emitInSteps(emitter, fields, line, `new LuaTable(emptyArray(${arraySize}), ${hashSize})`)
}

function emitInSteps(emitter: ExpressionEmitter, fields: readonly TableField[], line: number, create: string): string {
  const table = emitter.temporary()
  const steps = [`${table} = ${create}`]
  let pending: string[] = []
  let stored = 0
  const flush = () => {
    if (pending.length > 0) steps.push(`setList(${table}, ${stored}, [${pending.join(', ')}])`)
    stored += pending.length
    pending = []
  }
  fields.forEach((field, index) => {
    if (pending.length === itemsPerFlush) flush()
    if (field.key !== null) {
      const key = emitter.value(field.key)
      steps.push(`setIndex(${table}, ${key}, ${emitter.value(field.value)}, ${emitter.site(field.line ?? line)})`)
    } else if (index === fields.length - 1) pending.push(emitter.list([field.value]))
    else {
      // The item is evaluated now, but stored later with its batch, so a keyed field in between is
      // stored first.
      const item = emitter.temporary()
      steps.push(`${item} = ${emitter.value(field.value)}`)
      pending.push(item)
    }
  })
  flush()
  return `(${steps.join(', ')}, ${table})`
}
