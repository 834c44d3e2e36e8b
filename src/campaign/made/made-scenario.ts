/**
 * Scenarios without a file, generated from their names: cells of a configuration search, and values
 * of time limits.
 */
import type { Scenario } from '../../contract/api/scenario.ts'
import { cellScenario, isCellName } from './cell-scenario.ts'
import { isRungName, rungScenario } from './rung-scenario.ts'

/**
 * True if the text has the form of a generated name. No file and no id of the catalogue has this
 * form.
 */
export function isMadeName(name: string): boolean {
  return isCellName(name) || isRungName(name)
}

/** The scenario with the name; null if no made scenario has it. */
export function madeScenario(name: string): Scenario | null {
  return cellScenario(name) ?? rungScenario(name)
}
