/** Names for files of the user that do not depend on the folder where a command starts. */
import fs from 'node:fs'
import path from 'node:path'

/**
 * The name of a file in tokens and commands: relative to the project of `cwd` if it is in there,
 * else relative to `cwd`.
 */
export function nameOfPath(file: string, cwd = process.cwd()): string {
  const root = projectOf(cwd)
  const inProject = root !== null && !path.relative(root, file).startsWith('..')
  const relative = path
    .relative(inProject ? root : cwd, file)
    .split(path.sep)
    .join('/')
  return relative.startsWith('.') ? relative : `./${relative}`
}

/** The file that a path names, seen from `cwd` or from a folder above it; null if there is none. */
export function fileOfPath(name: string, cwd = process.cwd()): string | null {
  const file = path.resolve(cwd, name)
  if (fs.statSync(file, { throwIfNoEntry: false })?.isFile()) return file
  const above = path.dirname(cwd)
  const isFromHere = path.isAbsolute(name) || name.startsWith('..')
  return isFromHere || above === cwd || isRepository(cwd) ? null : fileOfPath(name, above)
}

/** The topmost folder with a package.json up to the root of the repository. */
function projectOf(cwd: string): string | null {
  const above = path.dirname(cwd)
  const higher = above === cwd || isRepository(cwd) ? null : projectOf(above)
  return higher ?? (fs.existsSync(path.join(cwd, 'package.json')) ? cwd : null)
}

function isRepository(folder: string): boolean {
  return fs.existsSync(path.join(folder, '.git'))
}
