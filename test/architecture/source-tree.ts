import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Sources by their path from the project root, with `/`. The tree is in memory, so that tests can
 * plant files.
 */
export type SourceTree = ReadonlyMap<string, string>

const projectFolder = fileURLToPath(new URL('../../', import.meta.url))

/** Every TypeScript and JavaScript file in these folders of the project. */
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
   * When the imported file must be loaded: before the importing file, later, or, for types, never.
   */
  readonly loads: 'before' | 'later' | 'never'
}

/**
 * Statements at the start of a line (the formatter puts them there), dynamic imports, and files
 * named by URL.
 */
const patterns = [
  /^(?:import|export)\s(?:[^'";]*?\sfrom\s)?'([^']+)'/gm,
  /\bimport\(\s*'([^']+)'\s*\)/g,
  /\bnew URL\(\s*'([^']+\.m?[jt]s)',\s*import\.meta\.url/g,
] as const

/** Examples in docstrings import the package, but the file does not. */
const docstrings = /^ *\/\*\*.*?\*\//gms

/** All imports of the files in a tree, including types. */
export function importsOf(tree: SourceTree): Import[] {
  const found: Import[] = []
  for (const [from, text] of tree) {
    const source = text.replace(docstrings, (one) => one.replace(/[^\n]/g, ''))
    for (const pattern of patterns)
      for (const match of source.matchAll(pattern)) {
        const named = match[1]!
        const isFile = named.startsWith('.') || match[0].startsWith('new URL')
        const to = isFile ? path.posix.join(path.posix.dirname(from), named) : named
        const line = source.slice(0, match.index).split('\n').length
        found.push({ from, to, line, loads: loadsWhen(match[0]) })
      }
  }
  return found
}

/** A list of names that each have `type` still loads the file (`verbatimModuleSyntax`). */
function loadsWhen(statement: string): Import['loads'] {
  if (/^(?:import|export) type\s/.test(statement)) return 'never'
  return /^(?:import|export)\s/.test(statement) ? 'before' : 'later'
}
