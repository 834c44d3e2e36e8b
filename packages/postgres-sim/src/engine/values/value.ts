import type { Decimal } from './decimal.ts'
import type { Interval } from './interval.ts'
import type { Jsonb } from './jsonb.ts'

/** The parsed value of a `jsonb`, apart from SQL's null. */
export class JsonbValue {
  readonly json: Jsonb

  constructor(json: Jsonb) {
    this.json = json
  }
}

/**
 * What a column holds. int2, int4, oid, floats: number. int8: bigint. Timestamps: microseconds
 * since 1970 as a number. date: days since
 * 1970. json: its text. uuid and bytea: lower-case hex text as PostgreSQL prints it.
 * Strings of bits: text of the digits 0 and 1.
 */
export type Value = null | boolean | number | bigint | string | Decimal | Interval | JsonbValue | readonly Value[]
