/** Lua 5.1's hash functions. They determine the order of `pairs` and thus of `cjson.encode`. */
import { addressOf, LightUserdata, type LuaValue } from './values.ts'

/** Returns a signed 32-bit integer. Only some bytes of a long string are hashed, as in Lua. */
export function hashString(text: string): number {
  const length = text.length
  const step = (length >>> 5) + 1
  let hash = length
  for (let index = length; index >= step; index -= step) {
    hash ^= (hash << 5) + (hash >>> 2) + text.charCodeAt(index - 1)
  }
  return hash
}

const double = new Float64Array(1)
const halves = new Uint32Array(double.buffer)

function hashNumber(value: number, size: number): number {
  if (value === 0) return 0
  double[0] = value
  return ((halves[0]! + halves[1]!) >>> 0) % ((size - 1) | 1)
}

/**
 * The index of the node for `key`. `size` is a power of two. Objects are hashed by their
 * `addressOf`, because the pointers that real Lua hashes are not deterministic.
 */
export function mainPosition(key: LuaValue, size: number): number {
  switch (typeof key) {
    case 'string':
      return hashString(key) & (size - 1)
    case 'number':
      return hashNumber(key, size)
    case 'boolean':
      return (key ? 1 : 0) & (size - 1)
    default:
      if (key instanceof LightUserdata) return 0
      return addressOf(key as object) % ((size - 1) | 1)
  }
}
