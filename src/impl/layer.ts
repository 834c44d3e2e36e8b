import type { Lookup } from './lookup.ts'
import type { Settings } from './options.ts'
import type { Records } from './records.ts'

/** The transitions of records, and what is on record, whatever store they are in. */
export type RecordStore = Omit<Records, 'lost'>
export type RecordLookup = Pick<Lookup, keyof Lookup>

/** What every step of a run stands on. */
export interface Layer {
  readonly settings: Settings
  readonly records: RecordStore
  readonly lookup: RecordLookup
}
