import type { ColumnDef, Constraint } from 'libpg-query'
import { SqlError } from '../sql-error.ts'

export function constraintsOf({ constraints }: ColumnDef): Constraint[] {
  return (constraints ?? []).flatMap((one) => ('Constraint' in one ? [one.Constraint] : []))
}

/**
 * The sources of a column's value. Error messages name a source by the first text, and report two
 * sources of the same kind with the second text.
 */
const sources: Readonly<Record<string, readonly [one: string, twice: string]>> = {
  CONSTR_DEFAULT: ['default', 'multiple default values specified'],
  CONSTR_IDENTITY: ['identity', 'multiple identity specifications'],
  CONSTR_GENERATED: ['generation expression', 'multiple generation clauses specified'],
}

/** The constraints that `serial` implies. They have no position in the statement. */
const ofSerial: readonly Constraint[] = [
  { contype: 'CONSTR_DEFAULT', location: -1 },
  { contype: 'CONSTR_NOTNULL', location: -1 },
]

/**
 * Checks that a column has one source of values and no contradiction between NULL and NOT NULL. The
 * constraints are checked in PostgreSQL's order.
 * @throws SqlError 42601
 */
export function mustAgree(table: string, column: string, constraints: readonly Constraint[], serial: boolean): void {
  const said = new Set<string>()
  let notNull: boolean | null = null
  for (const { contype, location = 0 } of serial ? [...constraints, ...ofSerial] : constraints) {
    const refused = (what: string) =>
      new SqlError(
        '42601',
        `${what} for column "${column}" of table "${table}"`,
        location < 0 ? {} : { position: location + 1 },
      )
    const source = sources[contype!]
    if (source !== undefined && said.has(contype!)) throw refused(source[1])
    if (contype === 'CONSTR_NULL' || contype === 'CONSTR_NOTNULL' || contype === 'CONSTR_IDENTITY') {
      const says = contype !== 'CONSTR_NULL'
      if (notNull === !says) throw refused('conflicting NULL/NOT NULL declarations')
      notNull = says
    }
    if (source === undefined) continue
    said.add(contype!)
    const [first, second] = Object.keys(sources).filter((one) => said.has(one))
    if (second !== undefined) throw refused(`both ${sources[first!]![0]} and ${sources[second]![0]} specified`)
  }
}
