import fs from 'node:fs'
import path from 'node:path'

export function isGlob(text: string): boolean {
  return /[*?]/.test(text)
}

/** `*` and `?` stop at folders, `**` does not. */
export function globPattern(glob: string): RegExp {
  const source = glob.replace(/^\.\//, '').replaceAll(/\*\*\/?|\*|\?|[.+^${}()|[\]\\]/g, (found) => {
    if (found.startsWith('**')) return found.endsWith('/') ? '(?:.*/)?' : '.*'
    if (found === '*') return '[^/]*'
    return found === '?' ? '[^/]' : `\\${found}`
  })
  return new RegExp(`^${source}$`)
}

/** Files that match, as absolute paths in order; relative globs start at the working directory. */
export function globFiles(glob: string): string[] {
  const absolute = path.resolve(glob).split(path.sep).join('/')
  const pattern = globPattern(absolute)
  const root = absolute.slice(0, absolute.slice(0, absolute.search(/[*?]/)).lastIndexOf('/') + 1)
  if (!fs.existsSync(root)) return []
  return filesUnder(root).filter((file) => pattern.test(file.split(path.sep).join('/')))
}

/** All files of a folder and its folders, in order; dependencies and hidden folders left out. */
export function filesUnder(folder: string): string[] {
  return fs
    .readdirSync(folder, { withFileTypes: true })
    .filter((entry) => !entry.name.startsWith('.') && entry.name !== 'node_modules')
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const file = path.join(folder, entry.name)
      return entry.isDirectory() ? filesUnder(file) : [file]
    })
}
