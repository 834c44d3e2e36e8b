/** Finds every token in the repository's visible texts, and the files that contain it. */
import fs from 'node:fs'
import path from 'node:path'

const shown = ['README.md', 'CHANGELOG.md', 'docs', 'test', 'scenarios', 'implementations']

/** For each token, the files that contain it, relative to the folder. */
export function findTokens(folder: string): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>()
  for (const file of shown.flatMap((name) => filesIn(folder, name))) {
    const tokens = new Set(fs.readFileSync(path.join(folder, file), 'utf8').match(/\bop[12]_[A-Za-z0-9_-]+/g))
    for (const token of tokens) found.set(token, [...(found.get(token) ?? []), file])
  }
  return found
}

export function replaceToken(folder: string, files: readonly string[], token: string, by: string): void {
  for (const file of files) {
    const place = path.join(folder, file)
    fs.writeFileSync(place, fs.readFileSync(place, 'utf8').replaceAll(new RegExp(`${token}(?![A-Za-z0-9_-])`, 'g'), by))
  }
}

function filesIn(folder: string, name: string): string[] {
  const place = path.join(folder, name)
  if (!fs.existsSync(place)) return []
  if (fs.statSync(place).isFile()) return [name]
  const below = fs.readdirSync(place, { recursive: true, withFileTypes: true })
  const files = below.filter((entry) => entry.isFile() && /\.(md|ts|html)$/.test(entry.name))
  return files.map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name))).sort()
}
