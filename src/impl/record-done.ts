/** The effect happened: records its result, and returns the recorded one. */
import { canonicalJson } from './canonical-json.ts'
import type { Layer } from './layer.ts'
import type { RunOutcome } from './outcome.ts'
import type { Claim, Completed, Kept } from './records.ts'

type Done<Result> = Extract<RunOutcome<Result>, { status: 'done' | 'done-unkept' }>

/**
 * Returns `done`, even if Redis cannot be reached: the record then stays begun, so the effect is
 * not repeated, and completing it is retried in the background. Also returns `done` if the result
 * cannot be kept: an error here would look like one from before the effect.
 */
export async function recordDone<Result>(
  layer: Layer,
  claim: Claim,
  fence: number,
  result: unknown,
  repeated: boolean,
): Promise<RunOutcome<Result>> {
  const kept = keptOf(result)
  const recorded = await layer.records.complete(claim, fence, kept)
  layer.settings.notify({ type: 'completed', key: claim.key, fence, onRecord: recorded.status === 'completed' })
  return stored(recorded.status === 'completed' ? recorded : { status: 'completed', ...kept }, repeated)
}

/**
 * An effect without a value has the result null. Reading a result may throw any
 * error.
 */
export function keptOf(result: unknown): Kept {
  try {
    return { result: result === undefined ? 'null' : canonicalJson('result', result, 'equal') }
  } catch (error) {
    return { result: 'null', unkept: error instanceof Error ? error.message : 'result cannot be read' }
  }
}

/** The result as every copy of the message gets it: parsed from JSON. */
export function stored<Result>({ result, unkept }: Completed, repeated: boolean): Done<Result> {
  return unkept === undefined
    ? { status: 'done', result: JSON.parse(result) as Result, repeated }
    : { status: 'done-unkept', unkept, repeated }
}

/** As for a key, which no run repeats. */
export function statusOfDone(
  completed: Completed,
): { status: 'done'; result: unknown } | { status: 'done-unkept'; unkept: string } {
  const { repeated: _, ...done } = stored<unknown>(completed, true)
  return done
}
