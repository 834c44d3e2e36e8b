/**
 * Scenarios without a file, which are made from their names: cells of a configuration search,
 * values of time limits.
 */
import type { Scenario } from '../../contract/api/scenario.ts'
import { cellScenario, isCellName } from './cell-scenario.ts'
import { isRungName, rungScenario } from './rung-scenario.ts'

/** Whether it could be the name of one, as opposed to a file or an id of the catalogue. */
export function isMadeName(name: string): boolean {
  return isCellName(name) || isRungName(name)
}

/** Null where there is none of that name. */
export function madeScenario(name: string): Scenario | null {
  return cellScenario(name) ?? rungScenario(name)
}
