/**
 * Scenarios without a file, generated from their names: cells of a configuration search, and values
 * of time limits.
 */
import type { Scenario } from '../../contract/api/scenario.ts'
import { cellScenario, isCellName } from './cell-scenario.ts'
import { isRungName, rungScenario } from './rung-scenario.ts'

/** True if it has the form of a generated name, unlike files and ids of the catalogue. */
export function isMadeName(name: string): boolean {
  return isCellName(name) || isRungName(name)
}

/** Null if there is no scenario of that name. */
export function madeScenario(name: string): Scenario | null {
  return cellScenario(name) ?? rungScenario(name)
}
