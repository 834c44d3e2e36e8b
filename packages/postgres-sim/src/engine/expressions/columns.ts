import type { ColumnRef } from 'libpg-query'
import { homeOf } from '../rows/partitions.ts'
import type { Row } from '../run.ts'
import { SqlError, UnsupportedSql } from '../sql-error.ts'
import { types } from '../values/types.ts'
import type { RangeEntry, Scope } from './analysis.ts'
import type { Expression } from './expression.ts'
import type { SchemaPlace } from './schema-place.ts'

export function columnNames(node: ColumnRef): string[] {
  return (node.fields ?? []).map((one) => ('String' in one ? (one.String.sval ?? '') : '*'))
}

/** Compiles a reference to a column of this query or of an outer query. */
export function compileColumn(node: ColumnRef, scope: Scope): Expression {
  const names = columnNames(node)
  const position = (node.location ?? 0) + 1
  if (scope.place?.kind === 'default')
    throw new SqlError('0A000', 'cannot use column reference in DEFAULT expression', { position })
  const name = names.at(-1)!
  const qualifier = names.at(-2) ?? null
  if (names.length > 3 || (names.length === 3 && !isOfSchema(scope, names)))
    throw new UnsupportedSql(`the name ${names.join('.')}`)
  let depth = 0
  for (let at: Scope | null = scope; at; at = at.parent) {
    const found = qualifier === null ? unqualified(at, name, position) : qualified(at, qualifier, name, position)
    if (found) {
      for (let inner: Scope = scope; inner !== at; inner = inner.parent!) {
        inner.usedFromInside = true
        inner.insideAggregate?.add(at)
      }
      at.insideAggregate?.add(at)
      if (scope.place) noteInSchema(scope.place, found, name, position)
      return grouped(at, depth, found, names, position)
    }
    depth++
  }
  if (qualifier === null) {
    const whole = wholeRow(scope, name)
    if (whole) throw new UnsupportedSql(`the whole row ${name} as a value`)
    throw new SqlError('42703', `column "${name}" does not exist`, { position, ...hintFor(scope, name, null) })
  }
  for (let at: Scope | null = scope; at; at = at.parent) {
    if (at.entries.some((one) => one.alias === qualifier)) {
      if (name === '*') throw new UnsupportedSql(`the whole row ${qualifier} as a value`)
      throw new SqlError('42703', `column ${qualifier}.${name} does not exist`, {
        position,
        ...hintFor(scope, name, qualifier),
      })
    }
  }
  for (let at: Scope | null = scope; at; at = at.parent) {
    if (at.hidden.some(({ alias }) => alias === qualifier)) {
      throw new SqlError('42P01', `invalid reference to FROM-clause entry for table "${qualifier}"`, {
        hint: `There is an entry for table "${qualifier}", but it cannot be referenced from this part of the query.`,
        position,
      })
    }
  }
  const original = scope.entries.find((one) => one.table?.name === qualifier)
  if (original) {
    throw new SqlError('42P01', `invalid reference to FROM-clause entry for table "${qualifier}"`, {
      hint: `Perhaps you meant to reference the table alias "${original.alias}".`,
      position,
    })
  }
  throw new SqlError('42P01', `missing FROM-clause entry for table "${qualifier}"`, { position })
}

/** True if the visible table of this name belongs to this schema. */
function isOfSchema(scope: Scope, [schema, alias]: readonly string[]): boolean {
  for (let at: Scope | null = scope; at; at = at.parent) {
    const found = at.entries.find((one) => one.alias === alias)
    if (found) return found.table?.schema === schema && found.table?.name === alias
  }
  return schema === 'public'
}

/** @throws SqlError 42P10 */
function noteInSchema(place: SchemaPlace, { entry, column, system }: Found, name: string, position: number): void {
  if (!system) {
    if (entry.table?.columns[column]?.generated) place.generated ??= { name, position }
    return
  }
  place.system ??= { name, position }
  if (system === 'tableoid') return
  if (place.kind === 'check')
    throw new SqlError('42P10', `system column "${name}" reference in check constraint is invalid`, { position })
  if (place.kind === 'generated')
    throw new SqlError('42P10', `cannot use system column "${name}" in column generation expression`, { position })
}

interface Found {
  readonly entry: RangeEntry
  readonly column: number
  readonly system?: string
}

function unqualified(scope: Scope, name: string, position: number): Found | null {
  const found: Found[] = []
  for (const entry of scope.entries) {
    if (entry.merged?.has(name)) continue
    const column = entry.columns.findIndex((one) => one.name === name)
    if (column >= 0) found.push({ entry, column })
    else if (entry.table && systemColumns.has(name)) found.push({ entry, column: -1, system: name })
  }
  if (found.length > 1) throw new SqlError('42702', `column reference "${name}" is ambiguous`, { position })
  return found[0] ?? null
}

function qualified(scope: Scope, qualifier: string, name: string, _position: number): Found | null {
  const entry = scope.entries.find((one) => one.alias === qualifier)
  if (!entry) return null
  const column = entry.columns.findIndex((one) => one.name === name)
  if (column >= 0) return { entry, column }
  return entry.table && systemColumns.has(name) ? { entry, column: -1, system: name } : null
}

function wholeRow(scope: Scope | null, name: string): boolean {
  for (let at = scope; at; at = at.parent) if (at.entries.some((one) => one.alias === name)) return true
  return false
}

/**
 * The hint of PostgreSQL: a column with a similar name, or a column of the same name that cannot be
 * referenced here.
 */
function hintFor(scope: Scope, name: string, qualifier: string | null): { hint?: string } {
  let least = Math.min(3, Math.floor(Math.max(name.length, 1) / 2))
  let best: string[] = []
  for (let at: Scope | null = scope; at; at = at.parent) {
    for (const { alias, columns } of [...at.hidden, ...at.entries]) {
      if (qualifier !== null && alias !== qualifier) continue
      for (const column of columns) {
        const distance = editDistance(name, column.name)
        if (distance > least) continue
        if (distance < least) best = []
        least = distance
        best.push(distance === 0 ? alias : `${alias}.${column.name}`)
      }
    }
  }
  const [first, second] = best
  if (first === undefined || best.length > 2) return {}
  if (least === 0) {
    return {
      hint: `There is a column named "${name}" in table "${first}", but it cannot be referenced from this part of the query.`,
    }
  }
  const other = second === undefined ? '' : ` or the column "${second}"`
  return { hint: `Perhaps you meant to reference the column "${first}"${other}.` }
}

function editDistance(a: string, b: string): number {
  let before = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      row.push(Math.min(before[j]! + 1, row[j - 1]! + 1, before[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)))
    }
    before = row
  }
  return before[b.length]!
}

export const systemColumns: ReadonlySet<string> = new Set(['ctid', 'xmin', 'xmax', 'tableoid'])

function grouped(scope: Scope, depth: number, found: Found, names: readonly string[], position: number): Expression {
  const { entry, column } = found
  if (scope.groups && !scope.insideAggregate && !found.system) {
    const group = scope.groups.get(`column ${entry.slot}.${column}`)
    if (!group) {
      const title = `${entry.alias}.${names.at(-1)}`
      throw new SqlError(
        '42803',
        `column "${title}" must appear in the GROUP BY clause or be used in an aggregate function`,
        {
          position,
        },
      )
    }
  }
  if (found.system) return systemColumn(entry, found.system, depth)
  const { slot } = entry
  const { type, typmod } = entry.columns[column]!
  if (depth === 0) return { type, typmod, evaluate: (row) => row.slots[slot]?.[column] ?? null }
  return {
    type,
    typmod,
    evaluate(row) {
      let at: Row = row
      for (let i = 0; i < depth; i++) at = at.outer!
      return at.slots[slot]?.[column] ?? null
    },
  }
}

function systemColumn({ slot, table }: RangeEntry, name: string, depth: number): Expression {
  const type = name === 'ctid' ? types.tid : name === 'tableoid' ? types.oid : types.xid
  return {
    type,
    typmod: -1,
    evaluate(row) {
      let at: Row = row
      for (let i = 0; i < depth; i++) at = at.outer!
      const version = at.versions[slot]
      if (!version) return null
      if (name === 'ctid') return `(0,${version.tid})`
      if (name === 'tableoid') return homeOf(table!, version).oid
      return name === 'xmin' ? version.xmin : version.xmax !== 0 ? version.xmax : (version.locks.at(-1)?.xid ?? 0)
    },
  }
}
