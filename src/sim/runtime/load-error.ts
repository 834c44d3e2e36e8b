/** Something that the user named cannot be used; the command ends with exit code 2. */
export class LoadError extends Error {
  override readonly name = 'LoadError'
  constructor(
    readonly culprit: string,
    readonly remedy: string,
  ) {
    super(`${culprit}: ${remedy}`)
  }
}
