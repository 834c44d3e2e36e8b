import { createHash } from 'node:crypto'
import fs from 'node:fs'
import type { PatchedSources } from './patched-fs.ts'
import { projectFolder } from './project-folder.ts'
import { isUsers } from './user-sources.ts'

/**
 * A digest over the files of a program, as patched, without packages and without the package that
 * embeds the loader: 8 hex digits. No path counts, so it is equal on every machine.
 */
export function programDigest(file: string, inputs: readonly string[], patched: PatchedSources): string {
  const project = projectFolder(file)
  const own = inputs.filter((input) => isUsers(input, project))
  const contents = own.map((input) => hash(patched.get(input) ?? fs.readFileSync(input)))
  return hash(contents.sort().join()).slice(0, 8)
}

function hash(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}
