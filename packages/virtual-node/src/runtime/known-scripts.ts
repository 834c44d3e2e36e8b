/**
 * The scripts that code under test knows. Redis calls a script by its SHA-1, so clients hash each
 * script when it is registered (`defineCommand` and `scripts` of ioredis, `defineScript` of
 * node-redis), and so does a layer that sends EVALSHA itself. A script that is only sent in full is
 * known once it was sent.
 */
import crypto, { type BinaryLike, type Encoding, type HashOptions } from 'node:crypto'
import { current } from './current.ts'
import { real } from './real.ts'

const known = new Set<string>()

/**
 * The scripts hashed in this thread since the last call. Each character stands for one byte, as
 * sent to a server.
 */
export function takeKnownScripts(): string[] {
  const taken = [...known]
  known.clear()
  return taken
}

export function installKnownScripts(): void {
  Object.assign(crypto, {
    createHash(algorithm: string, options?: HashOptions) {
      const hash = real.createHash(algorithm, options)
      if (!isOfScripts(algorithm)) return hash
      const { update } = hash
      hash.update = (data: BinaryLike, encoding?: Encoding) => {
        note(data)
        return Reflect.apply(update, hash, [data, encoding])
      }
      return hash
    },
    hash(algorithm: string, data: BinaryLike, encoding?: 'hex') {
      if (isOfScripts(algorithm)) note(data)
      return real.hash(algorithm, data, encoding)
    },
  })
}

function isOfScripts(algorithm: string): boolean {
  return current !== null && algorithm.toLowerCase() === 'sha1'
}

function note(data: BinaryLike): void {
  const script = scriptIn(typeof data === 'string' ? data : Buffer.from(data as Uint8Array).toString('utf8'))
  if (script !== null) known.add(script)
}

/**
 * Scripts by their texts. They are kept for all runs, because each process of each run hashes the
 * same scripts.
 */
const read = new Map<string, string>()
const mostRead = 1000

/** The script as bytes; null for texts that call no command, such as hashed keys. */
function scriptIn(text: string): string | null {
  let script = read.get(text)
  if (script === undefined) {
    if (!/\bredis\.p?call\b/.test(text)) return null
    script = Buffer.from(text, 'utf8').toString('latin1')
    if (read.size === mostRead) read.clear()
    read.set(text, script)
  }
  return script
}
