/**
 * Something that the user named cannot be used, or (`not-simulated`) cannot be judged because it
 * needs a feature that is not simulated.
 */
export class LoadError extends Error {
  override readonly name = 'LoadError'
  constructor(
    readonly culprit: string,
    readonly remedy: string,
    readonly kind: 'unusable' | 'not-simulated' = 'unusable',
  ) {
    super(`${culprit}: ${remedy}`)
  }
}
