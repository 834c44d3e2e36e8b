/**
 * A Lua 5.1 table with the layout of the reference implementation: an array part, and a hash part
 * whose number of nodes is a power of two, with Brent's variation of chaining. The layout
 * determines three things that scripts show to clients: the order of traversal, `#` of a table with
 * holes, and the effect of an assignment during traversal.
 */
import { charge, stepsOfPlace, stepsOfTable } from './effort.ts'
import { raisePlain } from './errors.ts'
import { hashString, mainPosition } from './table-hash.ts'
import type { LuaValue } from './values.ts'

class Node {
  key: LuaValue = undefined
  value: LuaValue = undefined
  next: Node | null = null
  constructor(readonly index: number) {}
}

const noNodes: readonly Node[] = []
const maxArrayBits = 26

/** ceil(log2(x)) for x >= 1. */
const ceilLog2 = (x: number) => 32 - Math.clz32(x - 1)
const isArrayIndex = (key: LuaValue): key is number =>
  typeof key === 'number' && (key | 0) === key && key > 0 && key <= 1 << maxArrayBits

export class LuaTable {
  readonly typeName = 'table'
  /** Element i has key i + 1. The length is Lua's `sizearray`. */
  array: LuaValue[]
  private nodes: readonly Node[] = noNodes
  private lastFree = 0
  metatable: LuaTable | null = null
  readOnly = false
  /** Increases when nodes move, so that a running traversal can find its position again. */
  layout = 0

  constructor(array: LuaValue[] = [], hashSize = 0) {
    charge(stepsOfTable)
    this.array = array
    if (hashSize > 0) this.makeNodes(hashSize)
  }

  /**
   * Makes a table like one that was filled by assigning the keys 1, 2, 3 …: the size of the array
   * part is a power of two. Takes ownership of the array.
   */
  static fromList(values: LuaValue[]): LuaTable {
    const { length } = values
    const size = length === 0 ? 0 : 1 << ceilLog2(length)
    for (let index = length; index < size; index++) values.push(undefined)
    return new LuaTable(values)
  }

  get(key: LuaValue): LuaValue {
    switch (typeof key) {
      case 'string':
        return this.getString(key)
      case 'number':
        return this.getNumber(key)
      case 'undefined':
        return undefined
      default:
        return this.find(key)?.value
    }
  }

  getNumber(key: number): LuaValue {
    if ((key | 0) === key && key > 0 && key <= this.array.length) return this.array[key - 1]
    return this.nodes.length === 0 ? undefined : this.find(key)?.value
  }

  getString(key: string): LuaValue {
    const { nodes } = this
    if (nodes.length === 0) return undefined
    let node: Node | null = nodes[hashString(key) & (nodes.length - 1)]!
    do {
      if (node.key === key) return node.value
      node = node.next
    } while (node)
    return undefined
  }

  private find(key: LuaValue): Node | null {
    const { nodes } = this
    if (nodes.length === 0) return null
    let node: Node | null = nodes[mainPosition(key, nodes.length)]!
    while (node && node.key !== key) node = node.next
    return node
  }

  /**
   * Assigns without metamethods. `key` must not be nil or NaN, and the table must not be read-only.
   */
  set(key: LuaValue, value: LuaValue): void {
    if (typeof key === 'number' && (key | 0) === key && key > 0 && key <= this.array.length) {
      this.array[key - 1] = value
      return
    }
    const node = this.find(key)
    if (node) node.value = value
    else this.insert(key, value)
  }

  private insert(key: LuaValue, value: LuaValue): void {
    const { nodes } = this
    let target = nodes.length === 0 ? null : nodes[mainPosition(key, nodes.length)]!
    if (target === null || target.value !== undefined) {
      const free = this.freeNode()
      if (free === null) {
        this.rehash(key)
        this.set(key, value)
        return
      }
      target = this.resolveCollision(target!, free)
    }
    target.key = key
    target.value = value
  }

  private freeNode(): Node | null {
    while (this.lastFree > 0) {
      const node = this.nodes[--this.lastFree]!
      if (node.key === undefined) return node
    }
    return null
  }

  /**
   * The node for a new key: `occupied` if its current key belonged elsewhere and was moved to
   * `free`; otherwise `free`.
   */
  private resolveCollision(occupied: Node, free: Node): Node {
    let other = this.nodes[mainPosition(occupied.key, this.nodes.length)]!
    if (other === occupied) {
      free.next = occupied.next
      occupied.next = free
      return free
    }
    while (other.next !== occupied) other = other.next!
    other.next = free
    free.key = occupied.key
    free.value = occupied.value
    free.next = occupied.next
    occupied.next = null
    occupied.value = undefined
    this.layout++
    return occupied
  }

  private makeNodes(size: number): void {
    const nodes: Node[] = []
    if (size > 0) {
      const count = 1 << ceilLog2(size)
      for (let index = 0; index < count; index++) nodes.push(new Node(index))
    }
    this.nodes = nodes
    this.lastFree = nodes.length
  }

  private rehash(extraKey: LuaValue): void {
    const counts = new Array<number>(maxArrayBits + 1).fill(0)
    let integers = 0
    let total = 1
    const count = (key: LuaValue) => {
      if (!isArrayIndex(key)) return
      counts[ceilLog2(key)]!++
      integers++
    }
    for (let index = 0; index < this.array.length; index++) {
      if (this.array[index] === undefined) continue
      count(index + 1)
      total++
    }
    for (const node of this.nodes) {
      if (node.value === undefined) continue
      count(node.key)
      total++
    }
    count(extraKey)
    const { size, used } = arraySize(counts, integers)
    this.resize(size, total - used)
  }

  resize(arraySize: number, hashSize: number): void {
    const { nodes: oldNodes, array } = this
    this.layout++
    charge((arraySize + hashSize) * stepsOfPlace)
    while (array.length < arraySize) array.push(undefined)
    this.makeNodes(hashSize)
    if (arraySize < array.length) {
      const tail = array.splice(arraySize)
      tail.forEach((value, index) => {
        if (value !== undefined) this.set(arraySize + index + 1, value)
      })
    }
    for (let index = oldNodes.length - 1; index >= 0; index--) {
      const { key, value } = oldNodes[index]!
      if (value !== undefined) this.set(key, value)
    }
  }

  /** Grows the array part for the list items of a table constructor. */
  resizeArray(size: number): void {
    if (size > this.array.length) this.resize(size, this.nodes.length)
  }

  /** Position of `key` in a traversal, for `nextPosition`; -1 before the first. */
  positionOf(key: LuaValue): number {
    if (key === undefined) return -1
    if (isArrayIndex(key) && key <= this.array.length) return key - 1
    const node = this.find(key)
    if (!node) raisePlain("invalid key to 'next'")
    return this.array.length + node.index
  }

  /** The next position with a value; -1 at the end. */
  nextPosition(position: number): number {
    const { array, nodes } = this
    for (position++; position < array.length; position++) if (array[position] !== undefined) return position
    for (let index = position - array.length; index < nodes.length; index++) {
      if (nodes[index]!.value !== undefined) return array.length + index
    }
    return -1
  }

  keyAt(position: number): LuaValue {
    return position < this.array.length ? position + 1 : this.nodes[position - this.array.length]!.key
  }

  valueAt(position: number): LuaValue {
    return position < this.array.length ? this.array[position] : this.nodes[position - this.array.length]!.value
  }

  /** The `#` operator. Returns the border that Lua's search finds. */
  length(): number {
    const { array } = this
    let high = array.length
    if (high > 0 && array[high - 1] === undefined) {
      let low = 0
      while (high - low > 1) {
        const middle = (low + high) >>> 1
        if (array[middle - 1] === undefined) high = middle
        else low = middle
      }
      return low
    }
    return this.nodes.length === 0 ? high : this.unboundSearch(high)
  }

  private unboundSearch(low: number): number {
    let high = low + 1
    while (this.getNumber(high) !== undefined) {
      low = high
      high *= 2
    }
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2)
      if (this.getNumber(middle) === undefined) high = middle
      else low = middle
    }
    return low
  }

  /** The metamethod for this event; undefined if the metatable lacks it. */
  meta(event: string): LuaValue {
    return this.metatable === null ? undefined : this.metatable.getString(event)
  }
}

/** The largest power of two n such that more than half of the slots 1 to n are used. */
function arraySize(counts: readonly number[], integers: number): { size: number; used: number } {
  let size = 0
  let used = 0
  let sum = 0
  for (let bits = 0, power = 1; power / 2 < integers; bits++, power *= 2) {
    if (counts[bits]! > 0) {
      sum += counts[bits]!
      if (sum > power / 2) {
        size = power
        used = sum
      }
    }
    if (sum === integers) break
  }
  return { size, used }
}
