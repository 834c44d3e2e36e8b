/**
 * Detects changes of a package's exports: a layer that changes such exports cannot share them with
 * other processes.
 */
import { types } from 'node:util'

/** Properties that are filled in on first use, with the same value for every process. */
const memos = new Set(['flagMap'])

type Contents = Map<unknown, unknown>

/** A snapshot of all objects that a package's exports reach: every property, by identity. */
export class PackageState {
  readonly #contents = new Map<object, Contents>()

  /** `builtins`: Node's own modules, which are not inspected. */
  constructor(exported: object, builtins: Iterable<object>) {
    const seen = new Set<object>([globalThis, ...membersOf(globalThis)])
    for (const builtin of builtins) for (const one of [builtin, ...membersOf(builtin)]) seen.add(one)
    const waiting: object[] = [exported]
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (seen.has(next)) continue
      seen.add(next)
      const contents = contentsOf(next)
      this.#contents.set(next, contents)
      for (const value of contents.values()) if (isObject(value)) waiting.push(value)
    }
  }

  get isUnchanged(): boolean {
    for (const [object, before] of this.#contents) if (!sameContents(before, contentsOf(object))) return false
    return true
  }
}

function contentsOf(object: object): Contents {
  const contents: Contents = new Map([['[[Prototype]]', Object.getPrototypeOf(object)]])
  for (const key of Reflect.ownKeys(object)) {
    if (memos.has(key as string)) continue
    const { value, get, set } = Object.getOwnPropertyDescriptor(object, key)!
    contents.set(key, value)
    if (get !== undefined) contents.set(`get ${String(key)}`, get)
    if (set !== undefined) contents.set(`set ${String(key)}`, set)
  }
  if (types.isMap(object)) for (const [key, value] of object) contents.set(key, value)
  if (types.isSet(object)) for (const value of object) contents.set(value, value)
  return contents
}

function sameContents(before: Contents, now: Contents): boolean {
  if (before.size !== now.size) return false
  for (const [key, value] of now) if (!Object.is(before.get(key), value)) return false
  return true
}

/**
 * The own members of a module or the global object, and the prototypes of its classes; calls no
 * getter.
 */
function membersOf(owner: object): object[] {
  const values = Object.values(Object.getOwnPropertyDescriptors(owner)).map(({ value }) => value as unknown)
  const members = values.filter(isObject)
  const prototypes = members.map((member) => Object.getOwnPropertyDescriptor(member, 'prototype')?.value as unknown)
  return [...members, ...prototypes.filter(isObject)]
}

const isObject = (value: unknown): value is object =>
  (typeof value === 'object' && value !== null) || typeof value === 'function'
