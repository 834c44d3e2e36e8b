import { exitCodes } from '../../contract/results.ts'

/**
 * Something that the user named cannot be used; the command ends with exit code 2, or with 4 where it cannot be judged
 * because it needs what is not simulated.
 */
export class LoadError extends Error {
  override readonly name = 'LoadError'
  constructor(
    readonly culprit: string,
    readonly remedy: string,
    readonly exitCode: typeof exitCodes.usage | typeof exitCodes.unknown = exitCodes.usage,
  ) {
    super(`${culprit}: ${remedy}`)
  }
}
