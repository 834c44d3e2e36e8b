import fs from 'node:fs'
import path from 'node:path'

/**
 * Makes a folder and those above it. Node's own `recursive` never returns where a file system has
 * no room for new folders, as /proc has. @throws the file system's own error
 */
export function makeFolder(folder: string): void {
  const missing: string[] = []
  for (let at = path.resolve(folder); !fs.existsSync(at) && at !== path.dirname(at); at = path.dirname(at))
    missing.push(at)
  for (const one of missing.reverse()) makeOne(one)
  if (!fs.statSync(folder).isDirectory())
    throw Object.assign(new Error(`${folder} is not a folder`), { code: 'ENOTDIR' })
}

/** Another process may make it in the same moment. */
function makeOne(folder: string): void {
  try {
    fs.mkdirSync(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
