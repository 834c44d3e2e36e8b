import type { Verdict } from '../../src/contract/api/verdict.ts'

/** A verdict in short form for expectations. */
export const kinds = (verdict: Verdict): string | readonly string[] =>
  verdict.verdict === 'violated' ? verdict.violations.map(({ kind }) => kind) : verdict.verdict
