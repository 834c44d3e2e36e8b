import type { InvariantDoc, InvariantName } from '../contract/verdict.ts'
import { invariants } from './index.ts'

/** What reports say of each invariant: the wording beside its check, and nothing that judges. */
export const invariantDocs: Readonly<Record<InvariantName, InvariantDoc>> = invariants
