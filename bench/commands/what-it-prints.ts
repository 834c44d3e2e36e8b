/**
 * Recognizes the lines of `sim` that the bench needs. No other file of the bench depends on the
 * wording of these lines.
 */
import { stripVTControlCharacters } from 'node:util'

/** A violation is one line with its token. */
export function printsViolation(line: string): boolean {
  return /\bop2_[\w-]/.test(stripVTControlCharacters(line))
}

/** A shrunk story ends with the command that replays it. */
export function endsShrunkStory(line: string): boolean {
  return stripVTControlCharacters(line).trimStart().startsWith('replay: ')
}

/** Progress is not counted as a line of the screen, because a terminal overwrites it. */
export function isProgress(line: string): boolean {
  return stripVTControlCharacters(line).startsWith('… ')
}
