import { arrayOf, types } from '../values/types.ts'
import type { Value } from '../values/value.ts'
import type { Analysis } from './analysis.ts'
import { coerce } from './coerce.ts'
import type { Expression } from './expression.ts'
import { strict } from './strict.ts'

/**
 * Compiles array functions whose result type depends on the type of the array or of its elements.
 */
export function collectionFunction(analysis: Analysis, name: string, args: readonly Expression[]): Expression | null {
  const [first, second] = args
  if (!first?.type.element) return null
  const items = (value: Value) => value as readonly Value[]
  if (name === 'cardinality' && args.length === 1) {
    return { type: types.int4, typmod: -1, evaluate: (row) => lengthOf(first.evaluate(row)) }
  }
  if (name === 'array_length' && args.length === 2) {
    return strict(types.int4, first, coerce(analysis, second!, types.int4, 'implicit')!, (array, dimension) =>
      dimension === 1 && items(array).length > 0 ? items(array).length : null,
    )
  }
  if ((name === 'array_append' || name === 'array_remove') && args.length === 2) {
    const item = coerce(analysis, second!, first.type.element, 'implicit')
    const { element } = first.type
    if (!item || !element || !arrayOf(element)) return null
    return {
      type: first.type,
      typmod: -1,
      evaluate(row) {
        const [array, one] = [first.evaluate(row), item.evaluate(row)]
        if (name === 'array_append') return [...(array === null ? [] : items(array)), one]
        const same = (other: Value) =>
          other === null || one === null ? other === one : element.compare(other, one) === 0
        return array === null ? null : items(array).filter((other) => !same(other))
      },
    }
  }
  return null
}

function lengthOf(value: Value): Value {
  return value === null ? null : (value as readonly Value[]).length
}
