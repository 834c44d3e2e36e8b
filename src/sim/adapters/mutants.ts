/**
 * A mutant's sources: read from disk, changed in memory, and given to the bundler in place of the
 * files.
 */
import fs from 'node:fs'
import path from 'node:path'
import type { PatchedSources } from 'virtual-node/runtime'
import type { Mutant } from '../../contract/api/canary.ts'
import { packageFolder } from './subpaths.ts'

/**
 * A patch does not fit the source that it was made for: the harness is broken, not what the user
 * asked for.
 */
export class PatchError extends Error {
  override readonly name = 'PatchError'
}

/** The file of the adapter that a mutant is used by: the reference's own, where it names none. */
export function adapterOf({ adapter = 'implementations/reference/reference.ts' }: Mutant): string {
  return path.join(packageFolder, adapter)
}

/** @throws PatchError for a patch whose text does not occur exactly once */
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
