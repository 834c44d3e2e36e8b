/**
 * Variables in which a package keeps what it has read once, for as long as its process lives. A
 * module graph is evaluated once for many runs, so that only the first of them would read. In the
 * script of such a graph every process has these variables to itself, as in production. Without
 * that each run differs from the same run alone, and a campaign must load all modules again for
 * every run, which takes about twenty times as long.
 */
import { caller } from './current.ts'
import type { VirtualProcess } from './process.ts'

/**
 * Declarations, as they stand in the source: of what ioredis 5 reads of its own package.json before
 * it says its version.
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

/** The variables of the process in whose turn they are asked for. */
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
