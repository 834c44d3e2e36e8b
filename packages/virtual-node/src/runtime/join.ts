/**
 * `Array.prototype.join` that remembers its last result. After each `CLUSTER SLOTS`, ioredis joins
 * the names of a slot's nodes for all 16,384 slots, though the slots of one range share an array.
 * That loop took a quarter of a run with a failover in a Cluster. The result is used only while the
 * same array holds the same strings.
 */
import { types } from 'node:util'

const realJoin = Array.prototype.join

/** Longer arrays cost more to compare than they save. */
const longest = 8

let last: unknown = null
let lastSeparator: string | undefined
/** The array's content when it was joined; null until it is joined a second time in a row. */
let elements: string[] | null = null
let answer = ''

const { join } = {
  join(this: unknown, separator?: string): string {
    if (this !== last || separator !== lastSeparator) {
      last = this
      lastSeparator = separator
      elements = null
      return realJoin.call(this, separator)
    }
    const array = this as unknown[]
    if (elements !== null && holds(array, elements)) return answer
    elements = null
    const joined = realJoin.call(array, separator)
    if (isPlain(array) && (separator === undefined || typeof separator === 'string')) {
      elements = [...array]
      answer = joined
    }
    return joined
  },
}

function holds(array: readonly unknown[], strings: readonly string[]): boolean {
  if (array.length !== strings.length) return false
  for (let at = 0; at < strings.length; at++) if (array[at] !== strings[at]) return false
  return true
}

/** True for an array of strings only: joining them runs no user code. */
function isPlain(array: unknown): array is string[] {
  if (!Array.isArray(array) || array.length > longest || types.isProxy(array)) return false
  return array.every((one) => typeof one === 'string')
}

export function installJoin(): void {
  Object.defineProperty(Array.prototype, 'join', { value: join, writable: true, configurable: true })
}
