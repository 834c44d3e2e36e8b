import { noSuchTable, tableInUse } from '../errors.ts'
import type { Table } from './table.ts'

/** Milliseconds that creating or deleting a table takes. The service takes seconds. */
export const changeMs = 500

/** The tables of one account and region, by name. */
export class Catalogue {
  readonly #tables = new Map<string, Table>()

  constructor(private readonly nowMs: () => number) {}

  /** Returns a table that accepts requests. @throws ServiceError ResourceNotFoundException */
  active(name: string): Table {
    const table = this.#existing(name)
    if (table === null || this.statusOf(table) !== 'ACTIVE') throw noSuchTable()
    return table
  }

  /** Returns a table in any state. @throws ServiceError ResourceNotFoundException */
  known(name: string): Table {
    const table = this.#existing(name)
    if (table === null) throw noSuchTable(name)
    return table
  }

  #existing(name: string): Table | null {
    const table = this.#tables.get(name) ?? null
    if (table === null || table.deletedFromMs === null || this.nowMs() < table.deletedFromMs) return table
    this.#tables.delete(name)
    return null
  }

  statusOf(table: Table): 'CREATING' | 'ACTIVE' | 'DELETING' {
    if (table.deletedFromMs !== null) return 'DELETING'
    return this.nowMs() < table.definition.activeFromMs ? 'CREATING' : 'ACTIVE'
  }

  add(table: Table): void {
    const { name } = table.definition
    if (this.#existing(name) !== null) throw tableInUse(`Table already exists: ${name}`)
    this.#tables.set(name, table)
  }

  delete(name: string): Table {
    const table = this.known(name)
    if (this.statusOf(table) === 'CREATING')
      throw tableInUse(`Attempt to change a resource which is still in use: Table is being created: ${name}`)
    table.deletedFromMs ??= this.nowMs() + changeMs
    return table
  }

  get all(): readonly Table[] {
    return [...this.#tables.keys()].sort().flatMap((name) => this.#existing(name) ?? [])
  }
}
