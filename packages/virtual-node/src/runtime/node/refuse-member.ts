/** Refuses members of Node's objects to processes, and reports those that differ between runs. */
import path from 'node:path'
import { caller, within } from '../current.ts'
import { refuse, report } from './refuse.ts'
import { isObject, standIn } from './stand-in.ts'

type AnyFunction = (...args: unknown[]) => unknown

/**
 * Node's own code calls these members by their public names, for permitted work: web streams make a
 * realm for a RegExp, and `Response` comes with all of undici.
 */
const alsoOfNode = new Set([
  ...['vm.createContext', 'vm.runInContext', 'vm.runInNewContext'],
  ...['vm.Script.runInContext', 'vm.Script.runInNewContext'],
  ...['WebAssembly.compile', 'globalThis.FinalizationRegistry'],
])

/** True if the first caller outside of this folder in the stack is Node's own code. */
export function nodeCalls(what: string): boolean {
  if (!alsoOfNode.has(what)) return false
  const { prepareStackTrace } = Error
  let files: (string | null | undefined)[] = []
  Error.prepareStackTrace = (_, sites) => (files = sites.map((site) => site.getFileName()))
  void new Error().stack
  Error.prepareStackTrace = prepareStackTrace
  const folder = path.dirname(files[0]!)
  return files.find((file) => path.dirname(file ?? '') !== folder)?.startsWith('node:') ?? false
}

const replacements = new WeakSet<object>()

/** Matches functions whose failures are rejected promises. */
const promising = /promises|subtle/

function intercept(realFunction: AnyFunction, what: string, before: (constructs: boolean) => void): AnyFunction {
  const replacement = new Proxy(realFunction, {
    apply(target, self, args) {
      try {
        before(false)
      } catch (error) {
        if (promising.test(what)) return Promise.reject(error)
        throw error
      }
      return Reflect.apply(target, self, args)
    },
    construct(target, args, newTarget) {
      before(true)
      return Reflect.construct(target, args, newTarget)
    },
  })
  replacements.add(replacement)
  return replacement
}

/** Node loads these classes late. Libraries test for instances of them. */
const lateClasses = new Set(['fs.ReadStream', 'fs.WriteStream', 'fs.FileReadStream', 'fs.FileWriteStream'])

/**
 * In a process, the function throws, and so do the functions of an object. The run's result names
 * the member.
 */
export function refuseMember(owner: object, place: string, name: string): void {
  const what = `${place}.${name}`
  let descriptor = Object.getOwnPropertyDescriptor(owner, name)
  if (descriptor === undefined || !descriptor.configurable) return
  if (lateClasses.has(what))
    descriptor = {
      value: (owner as Record<string, unknown>)[name],
      writable: true,
      enumerable: descriptor.enumerable ?? false,
      configurable: true,
    }
  const { value } = descriptor as { value?: unknown }
  if (typeof value !== 'function') return refuseValue(owner, name, descriptor, what)
  if (replacements.has(value)) return
  const replacement = intercept(value as AnyFunction, what, (constructs) => {
    if (!nodeCalls(what)) refuse(constructs ? `new ${what}` : what)
  })
  Object.defineProperty(owner, name, { ...descriptor, value: replacement })
}

/**
 * A process can inspect a function or an object. Any other value counts as used when it is read.
 */
function refuseValue(owner: object, name: string, descriptor: PropertyDescriptor, what: string): void {
  let { value } = descriptor as { value: unknown }
  const { get, set, enumerable } = descriptor
  // The member is undefined in Node too.
  if (get === undefined && value === undefined) return
  if (get !== undefined && replacements.has(get)) return
  const getter = function (this: unknown): unknown {
    const read = (): unknown => {
      if (get === undefined) return value
      const got: unknown = Reflect.apply(get, this, [])
      // If Node loads a member late, reading the member makes Node replace it.
      if (Object.getOwnPropertyDescriptor(owner, name)?.get !== getter) Object.defineProperty(owner, name, own)
      return got
    }
    const process = caller()
    if (process === null) return read()
    const real = within(null, read)
    if (isObject(real)) return standIn(real, what)
    if (real !== undefined) report(process, `${what}, which leaves the simulation`)
    return undefined
  }
  replacements.add(getter)
  const setter = function (this: unknown, given: unknown): void {
    if (set !== undefined) Reflect.apply(set, this, [given])
    else value = given
  }
  const own = { get: getter, set: setter, enumerable: enumerable ?? false, configurable: true }
  Object.defineProperty(owner, name, own)
}

const reasons: Readonly<Record<string, string>> = {
  'globalThis.FinalizationRegistry': 'FinalizationRegistry: when it calls back depends on the garbage collector',
}

/** The member works, but its result differs from run to run: the run's result names the member. */
export function reportMember(owner: object, place: string, name: string): void {
  const descriptor = Object.getOwnPropertyDescriptor(owner, name)
  const value: unknown = descriptor?.value
  if (typeof value !== 'function' || !descriptor!.configurable || replacements.has(value)) return
  const what = `${place}.${name}`
  const reported = () => {
    const process = caller()
    if (process !== null && !nodeCalls(what))
      report(process, reasons[what] ?? `${what}, which returns a different value in every run`)
  }
  Object.defineProperty(owner, name, { ...descriptor, value: intercept(value as AnyFunction, what, reported) })
}
