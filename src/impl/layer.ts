import type { Lookup } from './lookup.ts'
import type { Settings } from './options.ts'
import type { Records } from './records.ts'

/** The transitions of records and the lookups, for any store. */
export type RecordStore = Omit<Records, 'lost'>
export type RecordLookup = Pick<Lookup, keyof Lookup>

/** The dependencies of every step of a run. */
export interface Layer {
  readonly settings: Settings
  readonly records: RecordStore
  readonly lookup: RecordLookup
}
