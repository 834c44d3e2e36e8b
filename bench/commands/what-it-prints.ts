/** Recognizes lines of `sim` that the bench needs. The only place that depends on their wording. */
import { stripVTControlCharacters } from 'node:util'

/** A violation is one line with its token. */
export function printsViolation(line: string): boolean {
  return /\bop2_[\w-]/.test(stripVTControlCharacters(line))
}

/** A shrunk story ends with the command that replays it. */
export function endsShrunkStory(line: string): boolean {
  return stripVTControlCharacters(line).trimStart().startsWith('replay: ')
}

/** A terminal overwrites progress, so it takes no line of the screen. */
export function isProgress(line: string): boolean {
  return stripVTControlCharacters(line).startsWith('… ')
}
