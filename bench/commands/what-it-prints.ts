/** What the lines of `sim` say, as far as the bench asks: the one place that knows their words. */
import { stripVTControlCharacters } from 'node:util'

/** A violation is told on one line, with its token. */
export function printsViolation(line: string): boolean {
  return /\bop2_[\w-]/.test(stripVTControlCharacters(line))
}

/** A shrunk story ends with the command that replays it. */
export function endsShrunkStory(line: string): boolean {
  return stripVTControlCharacters(line).trimStart().startsWith('replay: ')
}

/** Progress: a terminal writes it over, so that it takes no line of the screen. */
export function isProgress(line: string): boolean {
  return stripVTControlCharacters(line).startsWith('… ')
}
