import { SqlError } from '../sql-error.ts'
import type { Type } from './types.ts'

/**
 * Makes the type that CREATE TYPE … AS ENUM defines. Its values are the labels, in the order of the
 * definition.
 */
export function enumType(oid: number, name: string, title: string, labels: readonly string[]): Type {
  const places = new Map(labels.map((label, at) => [label, at]))
  return {
    oid,
    name,
    title,
    size: 4,
    category: 'E',
    read(text) {
      if (places.has(text)) return text
      throw new SqlError('22P02', `invalid input value for enum ${title}: "${text}"`)
    },
    write: (value) => value as string,
    compare: (a, b) => places.get(a as string)! - places.get(b as string)!,
  }
}
