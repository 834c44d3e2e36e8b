import type { BuiltInName, InvariantDoc, InvariantName } from '../contract/api/verdict.ts'
import { invariants } from './index.ts'

/** The texts of the invariants for reports. */
export const invariantDocs: Readonly<Record<BuiltInName, InvariantDoc>> = invariants

/**
 * The texts of any invariant in the results. Invariants that a scenario defines have no texts, so
 * their name is used.
 */
export function invariantDoc(name: InvariantName): Pick<InvariantDoc, 'demand' | 'broken'> {
  const doc = invariantDocs[name as BuiltInName]
  return (
    doc ?? { demand: `The scenario's own invariant ${name.replace(/^own:/, '')} holds.`, broken: `${name} was broken` }
  )
}
