import fs from 'node:fs'
import path from 'node:path'

/** The folder of the nearest `package.json` at or above a file's own; that own folder where there is none. */
export function projectFolder(file: string): string {
  const own = path.dirname(file)
  for (let folder = own; ; folder = path.dirname(folder)) {
    if (fs.existsSync(path.join(folder, 'package.json'))) return folder
    if (folder === path.dirname(folder)) return own
  }
}
