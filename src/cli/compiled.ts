/** The folder of the compiled code. Onceproof can also run from its sources. */
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { packageFolder } from './catalogue.ts'

/** The URL of the containing file, defined only in compiled code (bin/compile.mjs). */
declare const onceproof_chunk: string | undefined

/** The folder of the compiled code; null if Onceproof runs from its sources. */
export const compiledFolder: string | null =
  typeof onceproof_chunk === 'undefined' ? null : path.dirname(fileURLToPath(onceproof_chunk))

/**
 * The file to import for a source file of the package, so that a module that is already loaded is
 * used. Null if the package has no such module; the file is then compiled like a file of the user.
 */
export function moduleOf(source: string): string | null {
  const own = path.relative(packageFolder, source)
  if (own.startsWith('..') || path.isAbsolute(own)) return null
  if (compiledFolder === null) return source
  const compiled = path.join(compiledFolder, `${own.split(path.sep).join('.').replace(/\.ts$/, '')}.js`)
  return fs.existsSync(compiled) ? compiled : null
}
