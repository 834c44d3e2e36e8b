import type { Table } from '../catalog/relations.ts'
import type { LockTag } from '../locks/lock-tag.ts'
import type { Mode } from '../locks/modes.ts'
import type { RowVersion } from '../storage/row-version.ts'
import type { Snapshot } from '../storage/snapshot.ts'
import type { SettingState } from './settings.ts'

export type Isolation = 'read uncommitted' | 'read committed' | 'repeatable read' | 'serializable'

export interface HeldLock {
  readonly tag: LockTag
  readonly mode: Mode
}

export interface Written {
  readonly table: Table
  readonly change: 'insert' | 'update' | 'delete'
  readonly version: RowVersion
  /** The version that an update has replaced. */
  readonly before: RowVersion | null
}

export interface Notification {
  readonly channel: string
  readonly payload: string
}

/** The transaction itself or a savepoint: the unit of rollback. */
export interface Level {
  readonly name: string | null
  /** The transaction id; 0 until one is assigned. */
  xid: number
  readonly locks: HeldLock[]
  readonly written: Written[]
  readonly notifications: Notification[]
  readonly listening: readonly { readonly channel: string | null; readonly on: boolean }[]
  /** The settings and READ ONLY at the start of the level. */
  readonly settings: SettingState
  readonly readOnly: boolean
  /** Other actions to perform on rollback. */
  readonly undo: (() => void)[]
}

export class Transaction {
  readonly startUs: number
  isolation: Isolation
  readOnly: boolean
  readonly levels: Level[]
  /** The snapshot of REPEATABLE READ and SERIALIZABLE, which the first query takes. */
  snapshot: Snapshot | null = null
  /** True after the first query; the isolation level can then no longer change. */
  started = false
  command = 0

  constructor(startUs: number, isolation: Isolation, readOnly: boolean, settings: SettingState) {
    this.startUs = startUs
    this.isolation = isolation
    this.readOnly = readOnly
    this.levels = [newLevel(null, settings, readOnly)]
  }

  /** The id of the whole transaction; 0 until one is assigned. */
  get topXid(): number {
    return this.levels[0]!.xid
  }

  get innermost(): Level {
    return this.levels.at(-1)!
  }

  get keepsSnapshot(): boolean {
    return this.isolation === 'repeatable read' || this.isolation === 'serializable'
  }
}

export function newLevel(name: string | null, settings: SettingState, readOnly: boolean): Level {
  return { name, xid: 0, locks: [], written: [], notifications: [], listening: [], settings, readOnly, undo: [] }
}
