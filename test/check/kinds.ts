import type { Verdict } from '../../src/contract/api/verdict.ts'

/** What a verdict comes to, short enough to read in an expectation. */
export const kinds = (verdict: Verdict): string | readonly string[] =>
  verdict.verdict === 'violated' ? verdict.violations.map(({ kind }) => kind) : verdict.verdict
