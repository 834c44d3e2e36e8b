import type { ScopeColumn } from '../expressions/analysis.ts'
import { allTypes, arrayOf, types } from '../values/types.ts'
import type { Value } from '../values/value.ts'

const field = (name: string, type: ScopeColumn['type']): ScopeColumn => ({
  name,
  type,
  typmod: -1,
  tableOid: 1247,
  column: 0,
})

/** The columns of the catalog `pg_type` that clients query to map array types to element types. */
export const pgTypeFields: readonly ScopeColumn[] = [
  field('oid', types.oid),
  field('typname', types.name),
  field('typlen', types.int2),
  field('typtype', types.char),
  field('typcategory', types.char),
  field('typelem', types.oid),
  field('typarray', types.oid),
]

export function pgTypeRows(): Value[][] {
  return allTypes()
    .sort((a, b) => a.oid - b.oid)
    .map((type) => [
      ...[type.oid, type.name, type.size, type.category === 'P' || type.category === 'X' ? 'p' : 'b', type.category],
      ...[type.element?.oid ?? 0, arrayOf(type)?.oid ?? 0],
    ])
}
