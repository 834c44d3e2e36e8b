import type { Outcome } from '../engine/index.ts'
import { dataRow } from './backend.ts'
import { sent } from './binary-values.ts'

/** What a statement gave, as messages. */
export interface Answer {
  readonly rows: readonly string[]
  readonly tag: string
}

/** `formats`: 0 for text, 1 for binary, of each field. @throws UnknownFormat */
export function rowsOf({ fields, rows, tag }: Extract<Outcome, { ok: true }>, formats: readonly number[]): Answer {
  const value = (text: string | null, at: number) =>
    text === null ? null : sent(fields![at]!.typeOid, formats[at]!, text)
  return { rows: fields === null ? [] : rows.map((row) => dataRow(row.map(value))), tag }
}
