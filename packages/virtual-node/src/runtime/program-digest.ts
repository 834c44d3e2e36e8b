import { createHash } from 'node:crypto'
import fs from 'node:fs'
import type { PatchedSources } from './patched-fs.ts'
import { projectFolder } from './project-folder.ts'
import { isUsers } from './user-sources.ts'

/**
 * A digest over the files of a program, as patched, without packages and without the package that
 * embeds the loader: 8 hex digits. Paths do not count, so it is equal on every machine.
 */
export function programDigest(file: string, inputs: readonly string[], patched: PatchedSources): string {
  const project = projectFolder(file)
  const own = inputs.filter((input) => isUsers(input, project))
  return contentsDigest(own.map((input) => patched.get(input) ?? fs.readFileSync(input))).slice(0, 8)
}

/** A digest over contents in any order, as hex digits. */
export function contentsDigest(contents: readonly (string | Buffer)[]): string {
  return hash(contents.map(hash).sort().join())
}

function hash(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}
