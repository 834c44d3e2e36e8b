/**
 * A mutant's sources: read from disk, patched in memory, and passed to the bundler instead of the
 * files.
 */
import fs from 'node:fs'
import path from 'node:path'
import type { PatchedSources } from 'virtual-node/runtime'
import type { Mutant } from '../../contract/api/canary.ts'
import { packageFolder } from './subpaths.ts'

/** A patch does not match its source. This is an error of the harness, not of the user. */
export class PatchError extends Error {
  override readonly name = 'PatchError'
}

/** The adapter file through which a mutant is used; by default, the adapter of the reference. */
export function adapterOf({ adapter = 'implementations/reference/reference.ts' }: Mutant): string {
  return path.join(packageFolder, adapter)
}

/** @throws PatchError if the text of a patch does not occur exactly once */
export function patchedSources({ id, patches }: Mutant): PatchedSources {
  const sources = new Map<string, string>()
  for (const { file, find, replace } of patches) {
    const whole = path.join(packageFolder, file)
    const before = sources.get(whole) ?? fs.readFileSync(whole, 'utf8')
    const parts = before.split(find)
    if (parts.length !== 2)
      throw new PatchError(`${id} no longer matches ${file}: it has "${find.trim()}" ${parts.length - 1} times`)
    sources.set(whole, parts.join(replace))
  }
  return sources
}

export function isMutant(exported: unknown): exported is Mutant {
  return typeof exported === 'object' && exported !== null && Array.isArray((exported as Partial<Mutant>).patches)
}
