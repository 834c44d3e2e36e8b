/** Which commands read how long a key has still to live: by their own name, or in a script that they bring or name. */
import { createHash } from 'node:crypto'

export class LifetimeReaders {
  readonly #scripts = new Set<string>()

  /** Is to be told of every command, in the order in which they are executed. */
  has([name = '', word = '', body = '']: readonly string[]): boolean {
    if (/^script$/i.test(name) && /^load$/i.test(word)) this.#note(body)
    if (/^eval(_ro)?$/i.test(name)) return this.#note(word)
    if (/^evalsha(_ro)?$/i.test(name)) return this.#scripts.has(word.toLowerCase())
    return /^p?ttl$/i.test(name)
  }

  #note(script: string): boolean {
    const reads = /["']p?ttl["']/i.test(script)
    if (reads) this.#scripts.add(sha1(script))
    return reads
  }
}

function sha1(text: string): string {
  return createHash('sha1').update(text, 'latin1').digest('hex')
}
