import path from 'node:path'
import { LoadError } from 'virtual-node/runtime'
import { visible } from '../contract/results/visible.ts'
import { FleetProblem } from '../fleet/fleet-problem.ts'
import { missingPackage } from './missing-package.ts'

/**
 * The error for a request that cannot be fulfilled. The command ends with exit code 2 and prints
 * one line with the culprit and the remedy.
 */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  constructor(
    readonly culprit: string,
    readonly remedy: string,
  ) {
    super(`${culprit}: ${remedy}`)
  }
}

/**
 * The culprit and the remedy of a mistake of the user, each on one line and relative to the working
 * directory; null for any other error.
 */
export function usageOf(error: unknown): { culprit: string; remedy: string } | null {
  const known = error instanceof UsageError || error instanceof LoadError || error instanceof FleetProblem
  const problem = missingPackage(error) ?? (known ? error : fileProblem(error))
  return problem === null ? null : { culprit: oneLine(problem.culprit), remedy: oneLine(problem.remedy) }
}

const ofFileSystem: { readonly [code: string]: string } = {
  ENOSPC: 'no space left; free some, or choose another path',
  EDQUOT: 'quota exceeded; free some space, or choose another path',
  EROFS: 'read-only file system; choose another path',
  EACCES: 'permission denied; change it, or choose another path',
  EPERM: 'permission denied; change it, or choose another path',
  EISDIR: 'a directory; choose a file',
  ENOTDIR: 'not a directory; choose another path',
  ENOENT: 'no such path, and it cannot be created; choose another',
  ENAMETOOLONG: 'name too long; choose a shorter one',
  ELOOP: 'symbolic links form a loop; choose another path',
}

/** A file system error about a file that the user named. */
function fileProblem(error: unknown): { culprit: string; remedy: string } | null {
  const { code = '', path: file } = (error ?? {}) as NodeJS.ErrnoException
  const remedy = ofFileSystem[code]
  return remedy === undefined || typeof file !== 'string' ? null : { culprit: file, remedy: `${remedy} (${code})` }
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
