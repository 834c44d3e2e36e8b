/** Scenarios and implementations that come with the package: found by file, known by id. */
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { filesUnder } from './glob.ts'

export type Kind = 'scenario' | 'implementation'

export interface Entry {
  /** The file's name without its ending; what it exports has the same id. */
  readonly id: string
  readonly path: string
}

/** Where the package is. */
export const packageFolder = fileURLToPath(new URL('../../', import.meta.url))

export function catalogue(kind: Kind): readonly Entry[] {
  const folder = path.join(packageFolder, `${kind}s`)
  if (!fs.existsSync(folder)) return []
  return filesUnder(folder)
    .filter((file) => /\.[cm]?[jt]s$/.test(file) && !file.endsWith('.d.ts') && !isPart(file))
    .map((file) => ({ id: idOf(file), path: file }))
}

/** What several of them share, in folders of that name. */
function isPart(file: string): boolean {
  return path.basename(path.dirname(file)) === 'parts'
}

/** A folder with an index is known by the folder's name. */
function idOf(file: string): string {
  const name = path.basename(file).replace(/\.[cm]?[jt]s$/, '')
  return name === 'index' ? path.basename(path.dirname(file)) : name
}
