/**
 * References to files for other machines: the path in the package or under the working folder,
 * never the content.
 */

import fs from 'node:fs'
import path from 'node:path'
import { isMadeName } from '../campaign/made/made-scenario.ts'
import { isProgram } from '../contract/api/program-name.ts'
import { graphDigest } from '../sim/adapters/loader.ts'
import { FleetProblem } from './fleet-problem.ts'

/**
 * `package`: a file of the package, which the digest of the package covers. `name`: a scenario
 * without a file. `folder`: a file in the working folder, with the digest of the file and its
 * imports.
 */
export type FileRef =
  | { readonly at: 'package' | 'name'; readonly path: string }
  | { readonly at: 'folder'; readonly path: string; readonly digest: string }

/** The folders of this machine to which references are relative. */
export interface Places {
  readonly package: string
  readonly folder: string
}

/** @throws FleetProblem for a file that another machine cannot find; LoadError */
export async function refTo(file: string, places: Places): Promise<FileRef> {
  if (isMadeName(file)) return { at: 'name', path: file }
  if (isProgram(file)) throw new FleetProblem(file, 'programs do not run on other machines; remove --fleet')
  const inPackage = inside(places.package, file)
  if (inPackage !== null) return { at: 'package', path: inPackage }
  const inFolder = inside(places.folder, file)
  if (inFolder !== null) return { at: 'folder', path: inFolder, digest: await graphDigest(file) }
  throw new FleetProblem(file, 'outside the working folder, so workers cannot find it; start in a folder above it')
}

export type FoundFile =
  | { readonly ok: true; readonly path: string }
  /** `problem`: a text for the user, without folders of this machine. */
  | { readonly ok: false; readonly problem: string }

export async function findFile(ref: FileRef, places: Places): Promise<FoundFile> {
  if (ref.at === 'name')
    return isMadeName(ref.path) ? { ok: true, path: ref.path } : { ok: false, problem: `it has no ${ref.path}` }
  const root = places[ref.at]
  const file = path.resolve(root, ref.path)
  if (inside(root, file) === null || !fs.existsSync(file)) return { ok: false, problem: `it has no ${ref.path}` }
  if (!('digest' in ref)) return { ok: true, path: file }
  const digest = await graphDigest(file).catch(() => 'not compilable')
  if (digest === ref.digest) return { ok: true, path: file }
  return {
    ok: false,
    problem: `its ${ref.path}, or an import of it, differs (${digest} instead of ${ref.digest})`,
  }
}

/** The relative path with slashes; null if the file is not inside the folder. */
function inside(folder: string, file: string): string | null {
  const relative = path.relative(folder, file)
  if (relative === '' || relative.startsWith('..') || path.isAbsolute(relative)) return null
  return relative.split(path.sep).join('/')
}
