/**
 * What a module knows of itself, as Node gives it to ES modules. Part of the script that it is
 * bundled into: what `resolve` looks at, it looks at by the `fs` of its process.
 */
import { resolve } from 'import-meta-resolve'

interface Meta {
  readonly dirname: string
  readonly filename: string
  /** From Node 22.18 and 24.2. */
  readonly main?: boolean
  readonly resolve: (specifier: string) => string
  readonly url: string
}

const [major, minor] = process.versions.node.split('.').map(Number) as [number, number]
/** By Node's own documentation. */
const hasMain = major > 24 || (major === 24 && minor >= 2) || (major === 22 && minor >= 18)

const folder = /^\.{0,2}\/(?:.*\/)?$/

export function metaOf(url: string, dirname: string, filename: string): Meta {
  const meta = {
    dirname,
    filename,
    ...(hasMain ? { main: false } : {}),
    resolve: (specifier: string) =>
      // A folder is answered without a look: Node asks for `/` in its place.
      folder.test(specifier) ? new URL(specifier, url).href : resolve(String(specifier), url),
    url,
  }
  return Object.assign(Object.create(null), meta) as Meta
}
