import fs from 'node:fs'
import path from 'node:path'

/**
 * Makes a folder and its missing parents. Node's `recursive` is not used, because it never returns
 * on a file system that cannot create folders, such as /proc. @throws the error of the file system
 */
export function makeFolder(folder: string): void {
  const missing: string[] = []
  for (let at = path.resolve(folder); !fs.existsSync(at) && at !== path.dirname(at); at = path.dirname(at))
    missing.push(at)
  for (const one of missing.reverse()) makeOne(one)
  if (!fs.statSync(folder).isDirectory())
    throw Object.assign(new Error(`${folder} is not a folder`), { code: 'ENOTDIR' })
}

/** Makes one folder, which another process may make at the same moment. */
function makeOne(folder: string): void {
  try {
    fs.mkdirSync(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
