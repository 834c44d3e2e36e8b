import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

export const packageFolder = fileURLToPath(new URL('../../', import.meta.url))

/** The pages that people read, by their paths in the package. */
export function pagesOf(): string[] {
  const docs = fs.readdirSync(path.join(packageFolder, 'docs'), { recursive: true, encoding: 'utf8' })
  const pages = docs.filter((name) => name.endsWith('.md')).map((name) => `docs/${name.split(path.sep).join('/')}`)
  return ['README.md', 'CONTRIBUTING.md', ...pages.sort()]
}
