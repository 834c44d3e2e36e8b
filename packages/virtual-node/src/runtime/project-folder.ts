import fs from 'node:fs'
import path from 'node:path'

/**
 * Node's real function, taken before `install()` replaces it, because turns of processes may call
 * `projectFolder`.
 */
const { existsSync } = fs

/**
 * The folder of the nearest `package.json` at or above a file's folder; that folder itself if there
 * is none.
 */
export function projectFolder(file: string): string {
  const own = path.dirname(file)
  for (let folder = own; ; folder = path.dirname(folder)) {
    if (existsSync(path.join(folder, 'package.json'))) return folder
    if (folder === path.dirname(folder)) return own
  }
}
