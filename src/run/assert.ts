/** What the code rests on is not so: a bug of onceproof, never of a layer. It ends the campaign with exit code 3. */
export class BrokenAssumption extends Error {
  override readonly name = 'BrokenAssumption'
}

/** A layer can catch an error of its turn, so the first one is kept until it is taken. */
let kept: BrokenAssumption | null = null

/** For assumptions that, once broken, would go unnoticed. `what`: the assumption, in words. @throws BrokenAssumption */
export function assert(condition: boolean, what: string): asserts condition {
  if (!condition) breakOff(what)
}

function breakOff(what: string): never {
  const error = new BrokenAssumption(`it does not hold that ${what}`)
  kept ??= error
  throw error
}

/** The first assumption that broke since the last call; null if all of them held. */
export function takeBroken(): BrokenAssumption | null {
  const broken = kept
  kept = null
  return broken
}
