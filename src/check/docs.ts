import type { BuiltInName, InvariantDoc, InvariantName } from '../contract/api/verdict.ts'
import { invariants } from './index.ts'

/** What reports say of each invariant: the wording beside its check, and nothing that judges. */
export const invariantDocs: Readonly<Record<BuiltInName, InvariantDoc>> = invariants

/** Of any invariant that results name: of a scenario's own, they have no more than the name. */
export function invariantDoc(name: InvariantName): Pick<InvariantDoc, 'demand' | 'broken'> {
  const doc = invariantDocs[name as BuiltInName]
  return (
    doc ?? { demand: `The scenario's own invariant ${name.replace(/^own:/, '')} holds.`, broken: `${name} was broken` }
  )
}
