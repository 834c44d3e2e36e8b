import type { Clause } from '../expressions/expression.ts'
import type { Row } from '../run.ts'
import { keyOfRow } from '../values/keys.ts'
import type { Value } from '../values/value.ts'
import type { Target } from './targets.ts'

/**
 * Keeps the first of equal rows. `on` lists the compared expressions; if it is empty, all columns
 * are compared.
 */
export function distinctRows(
  rows: readonly { row: Row; values: readonly Value[] }[],
  on: readonly Clause[],
  targets: readonly Target[],
): (readonly Value[])[] {
  const seen = new Set<string>()
  return rows.flatMap(({ row, values }) => {
    const parts =
      on.length > 0
        ? on.map((one) => [one.evaluate(row), one.type] as const)
        : targets.map((one, i) => [values[i]!, one.field.type] as const)
    const name = keyOfRow(
      parts.map(([value]) => value),
      parts.map(([, type]) => type),
    )
    if (seen.has(name)) return []
    seen.add(name)
    return [values]
  })
}
