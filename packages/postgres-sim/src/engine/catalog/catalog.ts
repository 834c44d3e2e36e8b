import { SqlError } from '../sql-error.ts'
import type { Heap } from '../storage/heap.ts'
import type { TransactionIds } from '../storage/transaction-ids.ts'
import type { Type } from '../values/types.ts'
import {
  type Index,
  type NamedFunction,
  type NamedType,
  partsOf,
  type Relation,
  type Schema,
  type Sequence,
  type Table,
  type UserFunction,
  type Versioned,
} from './relations.ts'

/** The session that reads the catalog. It sees its own uncommitted changes. */
export interface Viewer {
  /** The transaction id of the session's transaction; 0 if the session has no id yet. */
  readonly topXid: number
}

/** Schemas with their tables, indexes, sequences, types and functions. */
export class Catalog {
  private readonly ids: TransactionIds
  private readonly relations: Relation[] = []
  private readonly sequences: Sequence[] = []
  private readonly others: (Schema | NamedType | NamedFunction)[] = []
  private nextOid = 16385
  /** True if any table ever had a foreign key. */
  hasForeignKeys = false
  /**
   * Increases with each change that becomes visible to a session. Older analysis results are then
   * invalid.
   */
  version = 0
  /** Open transactions that have created or dropped something. */
  private readonly changing = new Set<number>()

  constructor(ids: TransactionIds) {
    this.ids = ids
  }

  newOid(): number {
    return this.nextOid++
  }

  add(relation: Relation): void {
    this.changed(relation.xmin)
    this.relations.push(relation)
    if (relation.kind === 'index') relation.table.indexes.push(relation)
    else if (relation.kind === 'sequence') this.sequences.push(relation)
  }

  addOther(one: Schema | NamedType | NamedFunction): void {
    this.changed(one.xmin)
    this.others.push(one)
  }

  schema(viewer: Viewer, name: string): Schema | null {
    const found = this.others.find((one) => one.kind === 'schema' && one.key === name && this.sees(viewer, one))
    return (found as Schema | undefined) ?? null
  }

  isSchemaPending(viewer: Viewer, name: string): boolean {
    const made = ({ xmin }: Schema) => this.ids.statusOf(xmin) === 'active' && this.ids.top(xmin) !== viewer.topXid
    return this.others.some((one) => one.kind === 'schema' && one.key === name && made(one))
  }

  /** True if the schema of this key exists. */
  hasSchemaOf(viewer: Viewer, key: string): boolean {
    const { schema } = partsOf(key)
    return schema === 'public' || this.schema(viewer, schema) !== null
  }

  type(viewer: Viewer, key: string): Type | null {
    const found = this.others.find((one) => one.kind === 'type' && one.key === key && this.sees(viewer, one))
    return (found as NamedType | undefined)?.thing ?? null
  }

  function(viewer: Viewer, key: string): UserFunction | null {
    const found = this.others.find((one) => one.kind === 'function' && one.key === key && this.sees(viewer, one))
    return (found as NamedFunction | undefined)?.thing ?? null
  }

  typeByOid(viewer: Viewer, oid: number): Type | null {
    const found = this.others.find((one) => one.kind === 'type' && one.oid === oid && this.sees(viewer, one))
    return (found as NamedType | undefined)?.thing ?? null
  }

  drop(relation: Relation, xid: number): void {
    this.changed(xid)
    relation.xmax = xid
  }

  changed(xid: number): void {
    this.version++
    this.changing.add(this.ids.top(xid))
  }

  /** True if the session has uncommitted changes of the catalog. */
  isChangedBy({ topXid }: Viewer): boolean {
    return this.changing.has(topXid)
  }

  /** Makes the changes of this transaction visible to all sessions. */
  committed(topXid: number): void {
    if (this.changing.delete(topXid)) this.version++
  }

  /** Discards the changes of a transaction or a savepoint. */
  aborted(xid: number): void {
    if (!this.changing.has(this.ids.top(xid))) return
    this.version++
    this.changing.delete(xid)
  }

  /** Called when the server restarts after a crash. */
  recovered(): void {
    this.version++
    this.changing.clear()
  }

  /**
   * True if no open transaction has changed the catalog, so that all sessions see the same catalog.
   */
  get isSettled(): boolean {
    return this.changing.size === 0
  }

  sees(viewer: Viewer, thing: Versioned): boolean {
    if (!this.happened(viewer, thing.xmin)) return false
    return thing.xmax === 0 || !this.happened(viewer, thing.xmax)
  }

  private happened(viewer: Viewer, xid: number): boolean {
    const status = this.ids.statusOf(xid)
    if (status === 'committed') return true
    return status === 'active' && viewer.topXid !== 0 && this.ids.top(xid) === viewer.topXid
  }

  find(viewer: Viewer, name: string): Relation | null {
    return this.relations.find((one) => one.key === name && this.sees(viewer, one)) ?? null
  }

  /** A relation of this name that an open transaction of another session has created. */
  pending(viewer: Viewer, name: string): Relation | null {
    const made = (one: Relation) => this.ids.statusOf(one.xmin) === 'active' && this.ids.top(one.xmin) !== viewer.topXid
    return this.relations.find((one) => one.key === name && made(one)) ?? null
  }

  byOid(oid: number): Relation | null {
    return this.relations.find((one) => one.oid === oid) ?? null
  }

  /** @throws SqlError 42P01, 42809 */
  table(viewer: Viewer, name: string, position?: number): Table {
    const found = this.find(viewer, name)
    if (!found) {
      throw new SqlError('42P01', `relation "${name}" does not exist`, position === undefined ? {} : { position })
    }
    if (found.kind === 'index') {
      throw new SqlError('42809', `cannot open relation "${name}"`, {
        detail: 'This operation is not supported for indexes.',
      })
    }
    if (found.kind === 'sequence') throw new SqlError('0A000', `reading sequence "${name}" as a table is not simulated`)
    return found
  }

  /** The indexes of a table, sorted by oid. This is the order in which PostgreSQL checks them. */
  indexesOf(viewer: Viewer, table: Table): readonly Index[] {
    return table.indexes.filter((index) => this.sees(viewer, index))
  }

  /** The partitions of a table, sorted by the values that they accept. */
  partitionsOf(viewer: Viewer, table: Table): readonly Table[] {
    const found = table.partitions.filter((one) => this.sees(viewer, one))
    // The default partition comes last.
    const rank = ({ bound }: Table) =>
      `${Number(bound!.isDefault)}${[...bound!.values].map((one) => one ?? '').sort()[0] ?? ''}`
    return found.sort((a, b) => (rank(a) < rank(b) ? -1 : 1))
  }

  heapOf(viewer: Viewer, table: Table): Heap {
    for (let i = table.storages.length - 1; i >= 0; i--) {
      const storage = table.storages[i]!
      if (this.happened(viewer, storage.xmin)) return storage.heap
    }
    return table.storages[0]!.heap
  }

  allTables(): readonly Table[] {
    return this.relations.filter((one) => one.kind === 'table')
  }

  allSequences(): readonly Sequence[] {
    return this.sequences
  }
}
