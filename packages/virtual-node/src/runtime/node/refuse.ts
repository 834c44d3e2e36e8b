/** How a member of Node's API is refused in a process: by its name, whatever the layer does with the error. */
import path from 'node:path'
import { caller } from '../current.ts'
import type { VirtualProcess } from '../process.ts'
import { whoAsks } from '../user-sources.ts'

type AnyFunction = (...args: unknown[]) => unknown

/** What code in a process gets to see that uses what nothing stands in for. */
export class NotSimulatedError extends Error {
  override readonly name = 'NotSimulatedError'
  readonly code = 'ERR_NOT_SIMULATED'
  constructor(what: string) {
    super(`${what} is not simulated`)
  }
}

/** Names the package, the file and the line that asked. */
function report({ host }: VirtualProcess, what: string): void {
  const from = whoAsks()
  host.unsupported(from === null ? what : `${what} (${from})`)
}

/**
 * In a process it marks the run as unknown, and throws: what came back from real Node would come at a real time, in
 * nobody's turn.
 * @throws NotSimulatedError
 */
export function refuse(what: string, why = 'which leaves the simulation'): void {
  const process = caller()
  if (process === null) return
  report(process, `${what}, ${why}`)
  throw new NotSimulatedError(what)
}

/**
 * What Node's own code calls by its public name, for something that is allowed: web streams make a realm for a RegExp, and
 * `Response` comes with all of undici.
 */
const alsoOfNode = new Set([
  ...['vm.createContext', 'vm.runInContext', 'vm.runInNewContext'],
  ...['vm.Script.runInContext', 'vm.Script.runInNewContext'],
  ...['WebAssembly.compile', 'globalThis.FinalizationRegistry'],
])

/** Whether the code next above the files of this folder in the stack is Node's own. */
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

/** Where what fails is a promise that is rejected. */
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

/** Classes that Node loads when they are first asked for. Libraries ask whether something is one. */
const lateClasses = new Set(['fs.ReadStream', 'fs.WriteStream', 'fs.FileReadStream', 'fs.FileWriteStream'])

/** In a process a function throws, and a value is `undefined`. Either is named in the run's result. */
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

function refuseValue(owner: object, name: string, descriptor: PropertyDescriptor, what: string): void {
  let { value } = descriptor as { value: unknown }
  const { get, set, enumerable } = descriptor
  if (get !== undefined && replacements.has(get)) return
  const getter = function (this: unknown): unknown {
    const process = caller()
    if (process === null) return get === undefined ? value : Reflect.apply(get, this, [])
    report(process, `${what}, which leaves the simulation`)
    return undefined
  }
  replacements.add(getter)
  const setter = function (this: unknown, given: unknown): void {
    if (set !== undefined) Reflect.apply(set, this, [given])
    else value = given
  }
  Object.defineProperty(owner, name, { get: getter, set: setter, enumerable: enumerable ?? false, configurable: true })
}

const reasons: Readonly<Record<string, string>> = {
  'globalThis.FinalizationRegistry': 'FinalizationRegistry: when it calls back depends on the garbage collector',
}

/** It works, and what it gives differs from run to run: the run's result names it. */
export function reportMember(owner: object, place: string, name: string): void {
  const descriptor = Object.getOwnPropertyDescriptor(owner, name)
  const value: unknown = descriptor?.value
  if (typeof value !== 'function' || !descriptor!.configurable || replacements.has(value)) return
  const what = `${place}.${name}`
  const reported = () => {
    const process = caller()
    if (process !== null && !nodeCalls(what))
      report(process, reasons[what] ?? `${what}, which gives something else in every run`)
  }
  Object.defineProperty(owner, name, { ...descriptor, value: intercept(value as AnyFunction, what, reported) })
}
