import type { Node } from 'libpg-query'
import type { Backend } from '../backend.ts'
import type { Running } from '../run.ts'
import { SqlError } from '../sql-error.ts'
import { Heap } from '../storage/heap.ts'
import type { RowVersion } from '../storage/row-version.ts'
import { keyOfValue } from '../values/keys.ts'
import type { Type } from '../values/types.ts'
import type { Value } from '../values/value.ts'

/**
 * A catalog entry with the transactions that created and dropped it. A transaction sees its own
 * changes immediately; other sessions see them after the commit.
 */
export interface Versioned {
  readonly xmin: number
  xmax: number
}

export interface Column {
  readonly name: string
  readonly type: Type
  /** The type modifier, as in atttypmod; -1 for a type without a modifier. */
  readonly typmod: number
  notNull: boolean
  readonly fallback: Node | null
  readonly identity: 'always' | 'default' | null
  /** Set for serial and identity columns. */
  readonly sequence: Sequence | null
  /** The expression of GENERATED ALWAYS AS (…) STORED; null for other columns. */
  readonly generated: Node | null
}

export interface Check {
  readonly name: string
  readonly condition: Node
}

/** The rows of a table since it was created or truncated. */
interface Storage {
  readonly xmin: number
  readonly heap: Heap
}

/** The key of an entry in the catalog: schema and name, without the schema `public`. */
export function qualified(schema: string | null | undefined, name: string): string {
  return schema && schema !== 'public' ? `${schema}.${name}` : name
}

/** Splits a key that `qualified` made into its two parts. */
export function partsOf(key: string): { readonly schema: string; readonly name: string } {
  const dot = key.indexOf('.')
  return dot < 0 ? { schema: 'public', name: key } : { schema: key.slice(0, dot), name: key.slice(dot + 1) }
}

export class Table implements Versioned {
  readonly kind = 'table'
  readonly oid: number
  readonly key: string
  readonly schema: string
  readonly name: string
  readonly columns: Column[]
  readonly xmin: number
  xmax = 0
  /** Set for a partitioned table, which has no rows itself. */
  readonly partitionKey: PartitionKey | null
  readonly partitions: Table[] = []
  /** The values of the partition key that this partition accepts. */
  bound: { readonly of: Table; readonly values: readonly (string | null)[]; readonly isDefault: boolean } | null = null
  readonly foreignKeys: ForeignKey[] = []
  readonly referencedBy: ForeignKey[] = []
  readonly checks: Check[] = []
  indexes: Index[] = []
  readonly storages: Storage[]

  constructor(oid: number, key: string, columns: Column[], xmin: number, partitionKey: PartitionKey | null = null) {
    this.partitionKey = partitionKey
    this.oid = oid
    this.key = key
    ;({ schema: this.schema, name: this.name } = partsOf(key))
    this.columns = columns
    this.xmin = xmin
    this.storages = [{ xmin, heap: new Heap() }]
  }
}

/** PARTITION BY LIST (column). */
export interface PartitionKey {
  readonly column: number
}

/** A FOREIGN KEY constraint: the values of the columns must exist in a row of the parent table. */
export interface ForeignKey {
  readonly name: string
  readonly table: Table
  readonly columns: readonly number[]
  readonly parent: Table
  readonly parentColumns: readonly number[]
  /** The unique index on the referenced columns. */
  readonly index: Index
  /** NO ACTION, RESTRICT or CASCADE. */
  readonly onDelete: 'a' | 'r' | 'c'
  /** True if the constraint is checked when the transaction commits. */
  readonly deferred: boolean
}

/** One column or expression of an index. */
export interface IndexPart {
  /** Index of the column; -1 for an expression. */
  readonly column: number
  readonly expression: Node | null
}

export class Index implements Versioned {
  readonly kind = 'index'
  readonly oid: number
  readonly key: string
  readonly name: string
  readonly table: Table
  readonly parts: readonly IndexPart[]
  readonly predicate: Node | null
  readonly unique: boolean
  readonly primary: boolean
  /** True for NULLS NOT DISTINCT: nulls are equal to each other. */
  readonly nullsEqual: boolean
  /** True if the index implements a constraint of the same name. */
  readonly constraint: boolean
  readonly xmin: number
  xmax = 0
  /** Row versions by key text, for each heap. */
  private readonly entries = new Map<Heap, Map<string, RowVersion[]>>()

  constructor(made: {
    oid: number
    key: string
    table: Table
    parts: readonly IndexPart[]
    predicate: Node | null
    unique: boolean
    nullsEqual: boolean
    primary: boolean
    constraint: boolean
    xmin: number
  }) {
    this.oid = made.oid
    this.key = made.key
    this.name = partsOf(made.key).name
    this.table = made.table
    this.parts = made.parts
    this.predicate = made.predicate
    this.unique = made.unique
    this.nullsEqual = made.nullsEqual
    this.primary = made.primary
    this.constraint = made.constraint
    this.xmin = made.xmin
  }

  add(heap: Heap, key: string, version: RowVersion): void {
    let map = this.entries.get(heap)
    if (!map) this.entries.set(heap, (map = new Map()))
    const found = map.get(key)
    if (found) found.push(version)
    else map.set(key, [version])
  }

  find(heap: Heap, key: string): readonly RowVersion[] {
    return this.entries.get(heap)?.get(key) ?? []
  }

  remove(heap: Heap, gone: ReadonlySet<RowVersion>): void {
    const map = this.entries.get(heap)
    for (const [key, versions] of map ?? []) {
      const left = versions.filter((version) => !gone.has(version))
      if (left.length === 0) map!.delete(key)
      else if (left.length < versions.length) map!.set(key, left)
    }
  }
}

export class Sequence implements Versioned {
  readonly kind = 'sequence'
  readonly oid: number
  readonly key: string
  readonly name: string
  readonly xmin: number
  xmax = 0
  last: bigint
  called = false
  readonly start: bigint
  readonly increment: bigint
  readonly least: bigint
  readonly most: bigint
  /**
   * The last value that is covered by the WAL. PostgreSQL logs 32 values ahead; after a crash, the
   * sequence continues after the last flushed value.
   */
  private logged: bigint | null = null
  private flushed: bigint | null = null
  /** The last value that the standby has received. */
  private shipped: bigint | null = null
  /** The table that owns the sequence. Dropping the table drops the sequence. */
  owner: string | null

  constructor(
    oid: number,
    key: string,
    xmin: number,
    owner: string | null,
    range: { start: bigint; increment: bigint; least: bigint; most: bigint },
  ) {
    this.oid = oid
    this.key = key
    this.name = partsOf(key).name
    this.xmin = xmin
    this.owner = owner
    this.start = range.start
    this.last = range.start
    this.increment = range.increment
    this.least = range.least
    this.most = range.most
  }

  /** Advances the sequence and returns its next value. @throws SqlError 2200H */
  next(): bigint {
    const value = this.called ? this.last + this.increment : this.last
    if (value > this.most || value < this.least) {
      const edge =
        value > this.most
          ? `maximum value of sequence "${this.name}" (${this.most})`
          : `minimum value of sequence "${this.name}" (${this.least})`
      throw new SqlError('2200H', `nextval: reached ${edge}`)
    }
    if (this.logged === null || (this.increment > 0n ? value > this.logged : value < this.logged))
      this.logged = value + 32n * this.increment
    this.last = value
    this.called = true
    return value
  }

  set(value: bigint, called: boolean): void {
    this.last = value
    this.called = called
    this.logged = called ? value : null
  }

  /** Executes TRUNCATE … RESTART IDENTITY. The returned function undoes the restart. */
  restart(): () => void {
    const { last, called } = this
    this.set(this.start, false)
    return () => this.set(last, called)
  }

  flush(): void {
    this.flushed = this.logged
  }

  ship(): void {
    this.shipped = this.flushed
  }

  recover(from: 'disk' | 'standby'): void {
    if (from === 'standby') this.flushed = this.shipped
    if (this.flushed !== null) [this.last, this.called] = [this.flushed, true]
    else [this.last, this.called] = [this.start, false]
    this.logged = this.flushed
  }
}

/** A schema, a type or a function. */
export interface Named<Kind extends 'schema' | 'type' | 'function', Thing> extends Versioned {
  readonly kind: Kind
  readonly oid: number
  readonly key: string
  readonly thing: Thing
}

export type Schema = Named<'schema', null>
export type NamedType = Named<'type', Type>
/** A function that CREATE FUNCTION defined. It returns void. */
export interface UserFunction {
  /** The name with the argument types, as in error messages. */
  readonly title: string
  readonly args: readonly { readonly name: string; readonly type: Type }[]
  run(backend: Backend, args: readonly Value[]): Running<void>
}

export type NamedFunction = Named<'function', UserFunction>

export type Relation = Table | Index | Sequence

/**
 * Encodes a key as text. Equal keys have equal texts. Null if a part is null, unless nulls are
 * equal to each other.
 */
export function keyText(values: readonly Value[], types: readonly Type[], nullsEqual: boolean): string | null {
  let text = ''
  for (let i = 0; i < values.length; i++) {
    const part = keyOfValue(values[i]!, types[i]!)
    if (part === null) {
      if (!nullsEqual) return null
      text += 'null:'
      continue
    }
    text += `${part.length}:${part}`
  }
  return text
}
