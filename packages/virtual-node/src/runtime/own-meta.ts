/**
 * `import.meta` of a module, as Node gives it to ES modules. This file becomes a part of the
 * bundled script, so that `resolve` uses the `fs` of its process.
 */
import { resolve } from 'import-meta-resolve'

interface Meta {
  readonly dirname: string
  readonly filename: string
  /** Since Node 22.18 and 24.2. */
  readonly main?: boolean
  readonly resolve: (specifier: string) => string
  readonly url: string
}

const [major, minor] = process.versions.node.split('.').map(Number) as [number, number]
/** The versions are those of Node's documentation. */
const hasMain = major > 24 || (major === 24 && minor >= 2) || (major === 22 && minor >= 18)

const folder = /^\.{0,2}\/(?:.*\/)?$/

export function metaOf(url: string, dirname: string, filename: string): Meta {
  const meta = {
    dirname,
    filename,
    ...(hasMain ? { main: false } : {}),
    resolve: (specifier: string) =>
      // A folder is resolved without access to the disk.
      folder.test(specifier) ? new URL(specifier, url).href : resolve(String(specifier), url),
    url,
  }
  return Object.assign(Object.create(null), meta) as Meta
}
