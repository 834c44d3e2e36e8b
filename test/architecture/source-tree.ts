import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Sources by their path from the project's root, with `/`. In memory, so that tests can plant their
 * own.
 */
export type SourceTree = ReadonlyMap<string, string>

const projectFolder = fileURLToPath(new URL('../../', import.meta.url))

/** The project's own: every TypeScript and JavaScript file of these folders. */
export function readTree(folders: readonly string[]): SourceTree {
  const tree = new Map<string, string>()
  const walk = (folder: string) => {
    const entries = fs.readdirSync(path.join(projectFolder, folder), { withFileTypes: true })
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const file = path.posix.join(folder, entry.name)
      if (entry.isDirectory() && entry.name !== 'node_modules') walk(file)
      else if (/\.m?[jt]s$/.test(entry.name)) tree.set(file, fs.readFileSync(path.join(projectFolder, file), 'utf8'))
    }
  }
  for (const folder of folders) if (fs.existsSync(path.join(projectFolder, folder))) walk(folder)
  return tree
}

export interface Import {
  readonly from: string
  /** A file of the project, or the name of a package or built-in. */
  readonly to: string
  readonly line: number
  /**
   * When the file that is imported must have been loaded: before the importing one, later, or, for
   * types, never.
   */
  readonly loads: 'before' | 'later' | 'never'
}

/**
 * Statements at the beginning of a line (so has the formatter them), dynamic imports, and files
 * named by URL.
 */
const patterns = [
  /^(?:import|export)\s(?:[^'";]*?\sfrom\s)?'([^']+)'/gm,
  /\bimport\(\s*'([^']+)'\s*\)/g,
  /\bnew URL\(\s*'([^']+\.m?[jt]s)',\s*import\.meta\.url/g,
] as const

/** All that a tree's files import, types too. */
export function importsOf(tree: SourceTree): Import[] {
  const found: Import[] = []
  for (const [from, source] of tree)
    for (const pattern of patterns)
      for (const match of source.matchAll(pattern)) {
        const named = match[1]!
        const isFile = named.startsWith('.') || match[0].startsWith('new URL')
        const to = isFile ? path.posix.join(path.posix.dirname(from), named) : named
        const line = source.slice(0, match.index).split('\n').length
        found.push({ from, to, line, loads: loadsWhen(match[0]) })
      }
  return found
}

/**
 * A list in which each name is a `type` of its own loads the file after all
 * (`verbatimModuleSyntax`).
 */
function loadsWhen(statement: string): Import['loads'] {
  if (/^(?:import|export) type\s/.test(statement)) return 'never'
  return /^(?:import|export)\s/.test(statement) ? 'before' : 'later'
}
