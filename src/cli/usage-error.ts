import path from 'node:path'
import { visible } from '../contract/visible.ts'
import { FleetProblem } from '../fleet/fleet-problem.ts'
import { LoadError } from '../sim/runtime/load-error.ts'

/** What the user asked for cannot be done: exit code 2, in one line that names the culprit and what to do. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  constructor(
    readonly culprit: string,
    readonly remedy: string,
  ) {
    super(`${culprit}: ${remedy}`)
  }
}

/** Culprit and remedy on one line, without folders of this machine; null for an error of another sort. */
export function usageOf(error: unknown): { culprit: string; remedy: string } | null {
  if (!(error instanceof UsageError || error instanceof LoadError || error instanceof FleetProblem)) return null
  return { culprit: oneLine(error.culprit), remedy: oneLine(error.remedy) }
}

/** A path as the user would write it. */
export function shownPath(file: string): string {
  const relative = path.relative(process.cwd(), file)
  return relative.startsWith('..') || path.isAbsolute(relative) ? file : relative
}

function oneLine(text: string): string {
  const shown = path.isAbsolute(text) ? shownPath(text) : text.replaceAll(`${process.cwd()}${path.sep}`, '')
  return visible(shown.replaceAll(/\s+/g, ' ').trim())
}
