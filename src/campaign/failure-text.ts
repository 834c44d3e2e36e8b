import { LeakError, NondeterminismError } from './nondeterminism.ts'

/** Why a pair cannot be judged, in one sentence: what its runs threw. */
export function failureText(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  if (error instanceof NondeterminismError || error instanceof LeakError) return `nondeterminism: ${text}`
  return `the harness failed, which is a bug of onceproof: ${text}`
}
