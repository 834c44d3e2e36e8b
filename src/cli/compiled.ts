/** Where the code that runs was compiled to; from its sources it runs as well. */
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { packageFolder } from './catalogue.ts'

/** The URL of the file that it stands in; only compiled code has it (bin/compile.mjs). */
declare const onceproof_chunk: string | undefined

/** Null when it runs from its sources. */
export const compiledFolder: string | null =
  typeof onceproof_chunk === 'undefined' ? null : path.dirname(fileURLToPath(onceproof_chunk))

/**
 * The file to import for one of ours, so that its modules are those that run already; null for one
 * that has none, which is then compiled as a user's own.
 */
export function moduleOf(source: string): string | null {
  const own = path.relative(packageFolder, source)
  if (own.startsWith('..') || path.isAbsolute(own)) return null
  if (compiledFolder === null) return source
  const compiled = path.join(compiledFolder, `${own.split(path.sep).join('.').replace(/\.ts$/, '')}.js`)
  return fs.existsSync(compiled) ? compiled : null
}
