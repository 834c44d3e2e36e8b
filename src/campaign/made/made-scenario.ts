/**
 * Scenarios without a file, generated from their names: cells of a configuration search, and values
 * of time limits.
 */
import type { Scenario } from '../../contract/api/scenario.ts'
import { cellScenario, isCellName } from './cell-scenario.ts'
import { isRungName, rungScenario } from './rung-scenario.ts'

/**
 * True if the text has the form of a generated name, which files and ids of the catalogue do not
 * have.
 */
export function isMadeName(name: string): boolean {
  return isCellName(name) || isRungName(name)
}

/** The scenario of that name; null if there is none. */
export function madeScenario(name: string): Scenario | null {
  return cellScenario(name) ?? rungScenario(name)
}
