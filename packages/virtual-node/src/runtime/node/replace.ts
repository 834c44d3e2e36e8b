/** Replaces a member of Node by one with the same name, length and visibility. */
import { caller } from '../current.ts'
import type { VirtualProcess } from '../process.ts'

// biome-ignore lint/suspicious/noExplicitAny: functions of any kind are replaced
type AnyFunction = (this: any, ...args: any[]) => any

type Virtual = (this: never, process: VirtualProcess, ...args: never[]) => unknown

/**
 * In a process, calls `virtual` with the process before the arguments. Otherwise calls the real
 * function.
 */
export function replaceFunction(owner: object, name: PropertyKey, virtual: Virtual): void {
  const descriptor = Object.getOwnPropertyDescriptor(owner, name)
  const real = descriptor?.value as AnyFunction | undefined
  if (typeof real !== 'function') return
  Object.defineProperty(owner, name, { ...descriptor, value: replacementOf(real, virtual) })
}

/**
 * Like `replaceFunction`, even if code outside of the processes later replaces the member:
 * `graceful-fs`, which testcontainers loads, has a `process.cwd` that remembers its first result
 * for all callers.
 */
export function replaceForGood(owner: object, name: PropertyKey, virtual: Virtual): void {
  const { value: real, enumerable } = Object.getOwnPropertyDescriptor(owner, name)!
  let replacement = replacementOf(real, virtual)
  Object.defineProperty(owner, name, {
    get: () => replacement,
    set(this: object, given: AnyFunction) {
      if (this === owner) replacement = replacementOf(given, virtual)
      // An object that inherits the member gets its own member, as with a plain value.
      else Object.defineProperty(this, name, { value: given, writable: true, enumerable: true, configurable: true })
    },
    enumerable: enumerable ?? false,
    configurable: true,
  })
}

function replacementOf(real: AnyFunction, virtual: Virtual): AnyFunction {
  const replacement: AnyFunction = function (this: unknown, ...args) {
    const process = caller()
    if (process === null)
      return new.target === undefined ? Reflect.apply(real, this, args) : Reflect.construct(real, args)
    return Reflect.apply(virtual as AnyFunction, this, [process, ...args])
  }
  for (const key of Reflect.ownKeys(real)) {
    const own = Object.getOwnPropertyDescriptor(real, key)!
    if (Object.getOwnPropertyDescriptor(replacement, key)?.configurable !== false)
      Object.defineProperty(replacement, key, own)
  }
  return replacement
}

/**
 * In a process, the member has the value of `virtual`. A value that a process writes is passed to
 * `written`, and does not change the real member.
 */
export function replaceValue(
  owner: object,
  name: string,
  virtual: (process: VirtualProcess) => unknown,
  written: (process: VirtualProcess, value: unknown) => void = () => {},
): void {
  const descriptor = Object.getOwnPropertyDescriptor(owner, name)
  if (descriptor?.configurable === false) return
  let value: unknown = descriptor?.value
  Object.defineProperty(owner, name, {
    get(this: unknown) {
      const process = caller()
      if (process !== null) return virtual(process)
      return descriptor?.get === undefined ? value : Reflect.apply(descriptor.get, this, [])
    },
    set(this: unknown, given: unknown) {
      const process = caller()
      if (process !== null) written(process, given)
      else if (descriptor?.set !== undefined) Reflect.apply(descriptor.set, this, [given])
      else value = given
    },
    enumerable: descriptor?.enumerable ?? false,
    configurable: true,
  })
}
