import fs from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Sources that replace files, by absolute path. */
export type PatchedSources = ReadonlyMap<string, string>

/** `node:fs` with these files replaced. */
export function patchedFs(sources: PatchedSources): typeof fs {
  const readFileSync = (file: Parameters<typeof fs.readFileSync>[0], options?: never): string | Buffer => {
    const whole = file instanceof URL ? fileURLToPath(file) : file
    const patched = typeof whole === 'string' ? sources.get(whole) : undefined
    if (patched === undefined) return fs.readFileSync(file, options)
    return options === undefined ? Buffer.from(patched) : patched
  }
  return Object.create(fs, { readFileSync: { value: readFileSync, enumerable: true } })
}
