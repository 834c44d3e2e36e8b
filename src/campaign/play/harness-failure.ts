/** Why the harness cannot be trusted, in one sentence. */
import type { PairResult } from '../../contract/results/results.ts'
import { LoadError } from '../../sim/adapters/load-implementation.ts'
import { LeakError, NondeterminismError } from '../token/nondeterminism.ts'

/** The reason why a pair cannot be judged, from the error that its runs threw. */
export function failureText(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  if (error instanceof NondeterminismError || error instanceof LeakError) return `nondeterminism: ${text}`
  return `the harness failed; this is a bug of onceproof: ${text}`
}

/** Adds the run number to an error, so that the run can be replayed. */
export function inRun(run: number, error: unknown): unknown {
  if (error instanceof LoadError || error instanceof LeakError || error instanceof NondeterminismError) return error
  const text = error instanceof Error ? error.message : String(error)
  return new Error(`run ${run}: ${text}`, { cause: error })
}

/** A pair that failed, or a control that did not break; null if neither occurred. */
export function failureOf(pairs: readonly PairResult[], control: PairResult | null): string | null {
  const failed = pairs.find((pair) => pair.verdict === 'error')
  if (failed !== undefined) return `${failed.implementation} under ${failed.scenario}: ${failed.reason}`
  if (control === null || control.verdict === 'violated') return null
  if (control.verdict === 'error') return `the control failed: ${control.reason}`
  return `the control survived ${control.runs} runs; the harness is broken, so its passes mean nothing`
}

/**
 * Describes a layer that declares itself broken but breaks in none of its pairs; null if there is
 * none. Either the declaration is wrong or the harness misses violations. Pure scenarios do not
 * count, because a broken layer may withstand one kind of fault.
 */
export function survivorOf(pairs: readonly PairResult[]): string | null {
  const layers = new Map<string, PairResult[]>()
  for (const pair of pairs) {
    if (pair.expect !== 'broken' || pair.onlyFaults !== undefined) continue
    layers.set(pair.implementation, [...(layers.get(pair.implementation) ?? []), pair])
  }
  const survivor = [...layers].find(([, own]) => own.every(({ verdict }) => verdict !== 'violated'))
  if (survivor === undefined) return null
  const [name, own] = survivor
  const runs = own.reduce((sum, pair) => sum + pair.runs, 0)
  return `${name} declares itself broken but survived ${runs} runs of ${own.length} cells; the declaration or the harness is wrong`
}
