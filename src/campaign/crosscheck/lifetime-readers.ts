/**
 * Detects commands that read the remaining lifetime of a key: directly, or in a script that they
 * contain or name.
 */
import { scriptSha } from '../model/script-sha.ts'

export class LifetimeReaders {
  readonly #scripts = new Set<string>()

  /**
   * True if the command reads a lifetime. Must be called with every command, in the order of
   * execution.
   */
  has([name = '', word = '', body = '']: readonly string[]): boolean {
    if (/^script$/i.test(name) && /^load$/i.test(word)) this.#note(body)
    if (/^eval(_ro)?$/i.test(name)) return this.#note(word)
    if (/^evalsha(_ro)?$/i.test(name)) return this.#scripts.has(word.toLowerCase())
    return /^p?ttl$/i.test(name)
  }

  #note(script: string): boolean {
    const reads = readsLifetimes(script)
    if (reads) this.#scripts.add(scriptSha(script))
    return reads
  }
}

export function readsLifetimes(script: string): boolean {
  return /["']p?ttl["']/i.test(script)
}
