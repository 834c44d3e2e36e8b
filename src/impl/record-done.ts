/** The effect happened: records its result, and answers with what is on record. */
import { canonicalJson } from './canonical-json.ts'
import type { Layer } from './layer.ts'
import type { RunOutcome } from './outcome.ts'
import type { Claim, Completed } from './records.ts'

/**
 * `done`, even if Redis cannot be reached: the record then stays begun, which nobody repeats, and goes on being
 * completed in the background. A result that JSON cannot carry is recorded as null (the effect did happen) and then
 * thrown as a `TypeError`, since no copy of the message could ever be answered with it.
 */
export async function recordDone<Result>(
  layer: Layer,
  claim: Claim,
  fence: number,
  result: unknown,
  repeated: boolean,
): Promise<RunOutcome<Result>> {
  let text = 'null'
  try {
    text = canonicalJson(result)
  } catch (error) {
    await layer.records.complete(claim, fence, text)
    throw new TypeError(`the effect of ${claim.key} happened, but its result is not JSON`, { cause: error })
  }
  const recorded = await layer.records.complete(claim, fence, text)
  return stored(recorded.status === 'completed' ? recorded : { status: 'completed', result: text }, repeated)
}

/** A result as every copy of the message gets it: as JSON gives it back. */
export function stored<Result>({ result }: Completed, repeated: boolean): RunOutcome<Result> {
  return { status: 'done', result: JSON.parse(result) as Result, repeated }
}
