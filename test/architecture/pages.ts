import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

export const packageFolder = fileURLToPath(new URL('../../', import.meta.url))

/** The pages that people read, by their paths in the package. */
export function pagesOf(): string[] {
  const docs = fs.readdirSync(path.join(packageFolder, 'docs'), { recursive: true, encoding: 'utf8' })
  const pages = docs.filter((name) => name.endsWith('.md')).map((name) => `docs/${name.split(path.sep).join('/')}`)
  const readmes = fs.readdirSync(path.join(packageFolder, 'packages')).map((name) => `packages/${name}/README.md`)
  return ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', ...readmes.sort(), ...pages.sort()]
}
