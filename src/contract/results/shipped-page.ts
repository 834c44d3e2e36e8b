/** The path of a page of this package, as the user opens it from the working directory. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import type { Finding } from './results.ts'

let found: { readonly folder: string; readonly prefix: string } | undefined

/**
 * `page` is relative to the package: `docs/findings/instead.md`. In a project that has installed
 * the package, the result is `node_modules/onceproof/docs/findings/instead.md`; in a clone, `page`.
 */
export function shippedPage(page: string): string {
  const folder = process.cwd()
  if (found?.folder !== folder) found = { folder, prefix: prefixIn(folder) }
  return found.prefix + page
}

/**
 * The story; its last line ends with the page that shows the code to write instead, as the user
 * opens it. Results do not contain this path, because it depends on the working directory.
 */
export function storyWithPage({ story, instead }: Pick<Finding, 'story' | 'instead'>): readonly string[] {
  return instead === undefined || story.length === 0
    ? story
    : story.with(-1, `${story.at(-1)} See ${shippedPage(instead)}`)
}

/** Looks for an installed package in the folder and in those above it, as Node does. */
export function prefixIn(folder: string): string {
  for (let at = folder, up = ''; ; at = path.dirname(at), up += '../') {
    if (existsSync(path.join(at, 'node_modules', 'onceproof', 'docs'))) return `${up}node_modules/onceproof/`
    if (at === path.dirname(at)) return ''
  }
}
