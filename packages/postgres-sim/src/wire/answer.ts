import type { Outcome } from '../index.ts'
import { dataRow } from './backend.ts'
import { sent } from './binary-values.ts'

/** The result of a statement, encoded as messages. */
export interface Answer {
  readonly rows: readonly string[]
  readonly tag: string
}

/**
 * Encodes the result of a statement. `formats` has an entry for each field: 0 for text, 1 for
 * binary. @throws UnknownFormat
 */
export function rowsOf({ fields, rows, tag }: Extract<Outcome, { ok: true }>, formats: readonly number[]): Answer {
  if (fields === null) return { rows: [], tag }
  return {
    rows: rows.map((row) =>
      dataRow(row.map((text, at) => (text === null ? null : sent(fields[at]!.typeOid, formats[at]!, text)))),
    ),
    tag,
  }
}
