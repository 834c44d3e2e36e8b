/** Finds the files of a campaign's layers, and detects when they change. */

import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { importsOf } from '../sim/adapters/loader.ts'

/**
 * The delay after a change before files are read, in milliseconds, because editors write a file in
 * several steps.
 */
const settleMs = 100

/**
 * `roots` and all files that they import, except files of installed packages, including Onceproof
 * itself if it is installed.
 */
export async function ownFiles(roots: readonly string[]): Promise<string[]> {
  const files = new Set(roots)
  for (const root of roots) {
    // A file that does not compile at the moment is watched without its imports.
    for (const file of await importsOf(root).catch(() => [])) files.add(file)
  }
  return [...files].filter((file) => !file.includes(`${path.sep}node_modules${path.sep}`)).sort()
}

/** A digest of names and contents; a missing file counts as empty. */
export function digestOf(files: readonly string[]): string {
  const hash = createHash('sha256')
  for (const file of files) hash.update(`${file}\0`).update(fs.existsSync(file) ? fs.readFileSync(file) : '')
  return hash.digest('hex')
}

/**
 * Calls `changed` once, as soon as the digest of the files differs; returns a function that ends
 * the watch.
 */
export function onChange(files: readonly string[], before: string, changed: () => void): () => void {
  let timer: NodeJS.Timeout | undefined
  const look = (): void => {
    if (digestOf(files) === before) return
    stop()
    changed()
  }
  const folders = [...new Set(files.map((file) => path.dirname(file)))].filter((folder) => fs.existsSync(folder))
  const watchers = folders.map((folder) =>
    fs.watch(folder, () => {
      clearTimeout(timer)
      timer = setTimeout(look, settleMs)
    }),
  )
  const stop = (): void => {
    clearTimeout(timer)
    for (const watcher of watchers) watcher.close()
  }
  // The first check detects changes from before the watch began.
  timer = setTimeout(look, 0)
  return stop
}
