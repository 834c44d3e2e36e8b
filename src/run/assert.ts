/** What the code rests on is not so: a bug of onceproof, never of a layer. It ends the campaign with exit code 3. */
export class BrokenAssumption extends Error {
  override readonly name = 'BrokenAssumption'
}

/** For assumptions that, once broken, would go unnoticed. `what`: the assumption, in words. @throws BrokenAssumption */
export function assert(condition: boolean, what: string): asserts condition {
  if (!condition) throw new BrokenAssumption(`it does not hold that ${what}`)
}
