import { assert } from '../assert.ts'

/**
 * A rolling 64-bit digest in two 32-bit lanes: cheap enough for every choice and every fact of a
 * hot run. The mixing step is MurmurHash3's (Appleby, public domain), with another multiplier for
 * the second lane.
 */
export class Digest {
  #low = 0x9747b28c | 0
  #high = 0x3c6ef372 | 0

  /** An integer of up to 32 bits. Larger numbers lose their upper bits: use `text` for them. */
  int(value: number): void {
    let k = Math.imul(value | 0, 0xcc9e2d51)
    k = (k << 15) | (k >>> 17)
    this.#low = Math.imul(((this.#low ^ k) << 13) | ((this.#low ^ k) >>> 19), 5) + 0xe6546b64
    this.#high = Math.imul(((this.#high ^ value) << 11) | ((this.#high ^ value) >>> 21), 0x1b873593) + 0x38b34ae5
  }

  /** A time in integer microseconds: after 71 minutes it has more than 32 bits. */
  time(us: number): void {
    // Any other number would count as another time, or as 0.
    assert(Number.isSafeInteger(us) && us >= 0, 'a time in a digest is a whole number of microseconds')
    this.int(us)
    if (us >= 0x1_0000_0000) this.int(Math.floor(us / 0x1_0000_0000))
  }

  text(value: string): void {
    for (let at = 0; at < value.length; at++) this.int(value.charCodeAt(at))
    this.int(-value.length - 1)
  }

  /** 16 hex digits. */
  hex(): string {
    return hex32(finish(this.#low)) + hex32(finish(this.#high ^ this.#low))
  }
}

/** Mixes one number into a rolling 32-bit hash. */
export function mixed(hash: number, value: number): number {
  let k = Math.imul(value, 0xcc9e2d51)
  k = (k << 15) | (k >>> 17)
  const h = hash ^ Math.imul(k, 0x1b873593)
  return (Math.imul((h << 13) | (h >>> 19), 5) + 0xe6546b64) | 0
}

/** FNV-1a over UTF-16 units, finished as in MurmurHash3: a 32-bit seed for anything with a name. */
export function hashText(text: string, seed: number): number {
  let hash = 0x811c9dc5 ^ seed
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return finish(hash)
}

function finish(hash: number): number {
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return hash ^ (hash >>> 16)
}

/** Eight hex digits. */
export function hex32(value: number): string {
  return (value >>> 0).toString(16).padStart(8, '0')
}
