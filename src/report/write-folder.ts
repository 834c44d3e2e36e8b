/**
 * Writes a folder atomically: to a temporary folder next to the target, which then replaces the
 * target. In this way, neither an interrupted run nor two runs that end at once leave half a
 * report. The functions are synchronous for the same reason.
 */
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/**
 * The maximum number of attempts. An attempt fails if another run puts its report there between the
 * two renames.
 */
const attempts = 100

/**
 * Replaces the folder `target` (for example `reports/latest`) by one with these files, by name;
 * creates its parents.
 * @throws Error of the file system if the folder cannot be written; the old folder is then kept
 */
export function writeFolder(target: string, files: Iterable<readonly [name: string, text: string]>): void {
  const parent = path.dirname(target)
  mkdirSync(parent, { recursive: true })
  const fresh = mkdtempSync(path.join(parent, '.writing-'))
  try {
    const folder = path.join(fresh, 'new')
    mkdirSync(folder)
    for (const [name, text] of files) writeFileSync(path.join(folder, path.basename(name)), text)
    takePlace(folder, target, path.join(fresh, 'old'))
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
}

function takePlace(folder: string, target: string, old: string): void {
  for (let attempt = 1; ; attempt++) {
    moveAway(target, `${old}-${attempt}`)
    try {
      return renameSync(folder, target)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (attempt === attempts || (code !== 'ENOTEMPTY' && code !== 'EEXIST')) throw error
    }
  }
}

function moveAway(target: string, old: string): void {
  try {
    renameSync(target, old)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}
