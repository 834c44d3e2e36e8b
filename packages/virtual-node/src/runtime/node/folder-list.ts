/**
 * The result of `readdir` in a process: in the same order on all machines, and below the folder as
 * the process named it.
 */
import type fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Node 20 has `parentPath` and `path`, Node 22 makes one an alias of the other, and Node 24 only
 * has `parentPath`.
 */
type Entry = Omit<fs.Dirent, 'parentPath' | 'path'> & { parentPath?: unknown; path?: unknown }

const isEntry = (entry: unknown): entry is Entry =>
  typeof entry === 'object' && entry !== null && 'isDirectory' in entry

/**
 * Sorts the list, because the order differs between machines. `from`: the real folder. `given`: the
 * folder as requested.
 */
export function listed(list: unknown, from: string, given: unknown): unknown {
  const entries = [...(list as unknown[])].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
  for (const entry of entries) if (isEntry(entry)) place(entry, from, given)
  return entries
}

/** The part of the list that enters the digest: names, with their types if requested. */
export function listText(list: unknown, given: unknown): string {
  const folder = given instanceof URL ? fileURLToPath(given) : String(given)
  return (list as unknown[])
    .map((entry) => {
      if (!isEntry(entry)) return entry
      const below = path.relative(folder, String(entry.parentPath))
      return `${path.join(below, String(entry.name))} ${entry.isDirectory()}`
    })
    .join()
}

/** The path of an entry, as in a recursive list. */
function nameOf(entry: unknown): string {
  return isEntry(entry) ? path.join(String(entry.parentPath), String(entry.name)) : String(entry)
}

function place(entry: Entry, from: string, given: unknown): void {
  const below = path.relative(from, String(entry.parentPath))
  const folder = given instanceof URL ? fileURLToPath(given) : given
  const parentPath = below === '' ? folder : path.join(String(folder), below)
  for (const name of ['parentPath', 'path'] as const) if (Object.hasOwn(entry, name)) entry[name] = parentPath
}
