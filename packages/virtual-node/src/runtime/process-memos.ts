/**
 * Variables in which a package caches what it has read, for the life of its process. A module graph
 * is evaluated once for many runs, so only the first run would read. In the script of such a graph
 * every process has separate variables, as in production. Otherwise a run would differ from the
 * same run alone, and a campaign would have to load all modules again for every run, which takes
 * about twenty times as long.
 */
import { caller } from './current.ts'
import type { VirtualProcess } from './process.ts'

/**
 * Declarations as in the source: ioredis 5 reads its own package.json before it reports its
 * version.
 */
const declarations: readonly { readonly variable: string; readonly declared: string }[] = [
  { variable: 'cachedPackageMeta', declared: 'let cachedPackageMeta = null;' },
]

/** The source with those variables in `onceproof_module.memos`. */
export function withProcessMemos(source: string): string {
  for (const { variable, declared } of declarations)
    if (source.includes(declared))
      return source
        .replace(declared, '')
        .replace(new RegExp(`\\b${variable}\\b`, 'g'), `onceproof_module.memos.${variable}`)
  return source
}

/** The variables of the current process. */
export class ProcessMemos {
  readonly #own = new WeakMap<VirtualProcess, Record<string, unknown>>()

  get current(): Record<string, unknown> {
    const process = caller()
    if (process === null) return {}
    let own = this.#own.get(process)
    if (own === undefined) this.#own.set(process, (own = {}))
    return own
  }
}
