import fs from 'node:fs'
import path from 'node:path'

/** Taken before a process sees it replaced, in whose turn it may be asked. */
const { existsSync } = fs

/**
 * The folder of the nearest `package.json` at or above a file's own; that own folder where there is
 * none.
 */
export function projectFolder(file: string): string {
  const own = path.dirname(file)
  for (let folder = own; ; folder = path.dirname(folder)) {
    if (existsSync(path.join(folder, 'package.json'))) return folder
    if (folder === path.dirname(folder)) return own
  }
}
