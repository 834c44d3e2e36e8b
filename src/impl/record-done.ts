/** The effect happened: records its result, and answers with what is on record. */
import { canonicalJson } from './canonical-json.ts'
import type { Layer } from './layer.ts'
import type { RunOutcome } from './outcome.ts'
import type { Claim, Completed, Kept } from './records.ts'

type Done<Result> = Extract<RunOutcome<Result>, { status: 'done' }>

/**
 * `done`, even if Redis cannot be reached: the record then stays begun, which nobody repeats, and
 * goes on being completed in the background. `done` also where the result cannot be kept: an error
 * here would look like one that was thrown before the effect.
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
 * An effect that gives nothing has null for a result. Any error may come out of a result that is
 * read.
 */
export function keptOf(result: unknown): Kept {
  try {
    return { result: result === undefined ? 'null' : canonicalJson('result', result, 'equal') }
  } catch (error) {
    return { result: 'null', unkept: error instanceof Error ? error.message : 'result cannot be read' }
  }
}

/** A result as every copy of the message gets it: as JSON gives it back. */
export function stored<Result>({ result, unkept }: Completed, repeated: boolean): Done<Result> {
  return unkept === undefined
    ? { status: 'done', result: JSON.parse(result) as Result, repeated }
    : { status: 'done', result: null, repeated, unkept }
}
