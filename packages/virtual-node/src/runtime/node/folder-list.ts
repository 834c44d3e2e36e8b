/**
 * What `readdir` answers in a process: in one order everywhere, and below the folder as the process
 * named it.
 */
import type fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** Node 20 has both, 22 makes one of the other, and 24 has `parentPath` alone. */
type Entry = Omit<fs.Dirent, 'parentPath' | 'path'> & { parentPath?: unknown; path?: unknown }

const isEntry = (entry: unknown): entry is Entry =>
  typeof entry === 'object' && entry !== null && 'isDirectory' in entry

/**
 * Folders are listed in no order that is the same everywhere. `from` is the real folder, `given` is
 * what was asked for.
 */
export function listed(list: unknown, from: string, given: unknown): unknown {
  const entries = [...(list as unknown[])].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
  for (const entry of entries) if (isEntry(entry)) place(entry, from, given)
  return entries
}

/** What of it joins the digest: names, with what each is, where that was asked for. */
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

/** As names are in a list that goes down into folders. */
function nameOf(entry: unknown): string {
  return isEntry(entry) ? path.join(String(entry.parentPath), String(entry.name)) : String(entry)
}

function place(entry: Entry, from: string, given: unknown): void {
  const below = path.relative(from, String(entry.parentPath))
  const folder = given instanceof URL ? fileURLToPath(given) : given
  const parentPath = below === '' ? folder : path.join(String(folder), below)
  for (const name of ['parentPath', 'path'] as const) if (Object.hasOwn(entry, name)) entry[name] = parentPath
}
