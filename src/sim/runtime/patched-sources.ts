/** A mutant's sources: read from disk, changed in memory, and given to bundler and `readFileSync` in place of the files. */
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Mutant } from '../../contract/canary.ts'

/** By absolute path. */
export type PatchedSources = ReadonlyMap<string, string>

/** A patch does not fit the source that it was made for: the harness is broken, not what the user asked for. */
export class PatchError extends Error {
  override readonly name = 'PatchError'
}

const packageFolder = fs.realpathSync(fileURLToPath(new URL('../../../', import.meta.url)))

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
      throw new PatchError(`${id} no longer fits ${file}: "${find.trim()}" occurs there ${parts.length - 1} times`)
    sources.set(whole, parts.join(replace))
  }
  return sources
}

export function isMutant(exported: unknown): exported is Mutant {
  return typeof exported === 'object' && exported !== null && Array.isArray((exported as Partial<Mutant>).patches)
}

/** `node:fs` as a mutant's modules see it. */
export function patchedFs(sources: PatchedSources): typeof fs {
  const readFileSync = (file: Parameters<typeof fs.readFileSync>[0], options?: never): string | Buffer => {
    const whole = file instanceof URL ? fileURLToPath(file) : file
    const patched = typeof whole === 'string' ? sources.get(whole) : undefined
    if (patched === undefined) return fs.readFileSync(file, options)
    return options === undefined ? Buffer.from(patched) : patched
  }
  return Object.create(fs, { readFileSync: { value: readFileSync, enumerable: true } })
}
