/** Names for the user's files that do not depend on the working directory of a command. */
import fs from 'node:fs'
import path from 'node:path'

/**
 * The name of a file in tokens and commands: relative to the project of `cwd` if the file is in
 * that project, otherwise relative to `cwd`.
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

/** The file that a path names, relative to `cwd` or a folder above; null if it does not exist. */
export function fileOfPath(name: string, cwd = process.cwd()): string | null {
  const isFromHere = path.isAbsolute(name) || name.startsWith('..')
  const files = (isFromHere ? [cwd] : foldersUpFrom(cwd)).map((folder) => path.resolve(folder, name))
  return files.find((file) => fs.statSync(file, { throwIfNoEntry: false })?.isFile()) ?? null
}

/** The topmost folder with a package.json in the repository; without a repository, the nearest. */
function projectOf(cwd: string): string | null {
  const withPackage = foldersUpFrom(cwd).filter((folder) => fs.existsSync(path.join(folder, 'package.json')))
  return withPackage.at(isRepository(foldersUpFrom(cwd).at(-1)!) ? -1 : 0) ?? null
}

/**
 * The folder and all folders above it, up to the folder of the repository or the root of the file
 * system.
 */
function foldersUpFrom(folder: string): string[] {
  const above = path.dirname(folder)
  return above === folder || isRepository(folder) ? [folder] : [folder, ...foldersUpFrom(above)]
}

function isRepository(folder: string): boolean {
  return fs.existsSync(path.join(folder, '.git'))
}
