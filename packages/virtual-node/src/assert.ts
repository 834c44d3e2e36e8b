/** An assumption of the simulator does not hold: a bug of the simulator, never of a program. */
export class BrokenAssumption extends Error {
  override readonly name = 'BrokenAssumption'
}

/**
 * The first broken assumption, until `takeBroken` returns it: a program can catch the thrown error.
 */
let kept: BrokenAssumption | null = null

/** `what`: the assumption, in words. @throws BrokenAssumption */
export function assert(condition: boolean, what: string): asserts condition {
  if (!condition) breakOff(what)
}

function breakOff(what: string): never {
  const error = new BrokenAssumption(`broken assumption: ${what}`)
  kept ??= error
  throw error
}

/** The first assumption that broke since the last call; null if all of them held. */
export function takeBroken(): BrokenAssumption | null {
  const broken = kept
  kept = null
  return broken
}
