import type { Lookup } from './lookup.ts'
import type { Settings } from './options.ts'
import type { Records } from './records.ts'

/** What every step of a run stands on. */
export interface Layer {
  readonly settings: Settings
  readonly records: Records
  readonly lookup: Lookup
}
