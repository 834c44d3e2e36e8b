import type { Decimal } from './decimal.ts'
import type { Interval } from './interval.ts'
import type { Jsonb } from './jsonb.ts'

/** A parsed `jsonb` value. It distinguishes JSON null from SQL NULL. */
export class JsonbValue {
  readonly json: Jsonb

  constructor(json: Jsonb) {
    this.json = json
  }
}

/**
 * The value of a column. int2, int4, oid and floats are numbers; int8 is a bigint. A timestamp is a
 * number of microseconds since 1970, a date a number of days since 1970. json is its text. uuid and
 * bytea are hexadecimal text in lower case, as PostgreSQL prints it. A bit string is a text of the
 * digits 0 and 1.
 */
export type Value = null | boolean | number | bigint | string | Decimal | Interval | JsonbValue | readonly Value[]
