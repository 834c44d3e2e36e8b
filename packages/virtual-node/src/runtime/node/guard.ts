/** Refuses, in every process, the members that the table of Node's API refuses or does not know. */
import Module, { isBuiltin } from 'node:module'
import { caller, within } from '../current.ts'
import { type ApiClasses, classesOf } from './api-class.ts'
import { apiOfModules } from './api-of-modules.ts'
import { refuseMember, reportMember } from './refuse-member.ts'
import { standIn } from './stand-in.ts'

const guarded = new WeakSet<object>()

/** Members that every function has. */
const ofEveryFunction = new Set(['length', 'name', 'prototype', 'arguments', 'caller'])

/** The name by which a program refers to a place: `fs.promises`, `net.Server`. */
const labelOf = (place: string) =>
  place.replace('/promises', '.promises').replace('.prototype', '').replace('SubtleCrypto', 'crypto.subtle')

/**
 * Refuses the refused members of `owner`, and functions that are in no list, because their behavior
 * was not examined. Globals that a program adds are not refused.
 */
export function guard(owner: object, name: string, members: ApiClasses): void {
  if (guarded.has(owner)) return
  guarded.add(owner)
  const place = labelOf(name)
  const classes = classesOf(members)
  for (const [member, { value }] of Object.entries(Object.getOwnPropertyDescriptors(owner))) {
    if (typeof owner === 'function' && ofEveryFunction.has(member)) continue
    const apiClass = classes.get(member)
    const unknown = apiClass === undefined && typeof value === 'function' && owner !== globalThis
    if (apiClass === 'refused' || unknown) refuseMember(owner, place, member)
    else if (apiClass === 'unrepeatable') reportMember(owner, place, member)
  }
}

/** Modules that change the Node of all processes when they are loaded. */
const refusedModules = new Set(['domain', 'repl', 'test', 'test/reporters'])

const bare = (name: string) => name.replace(/^node:/, '')

const unloaded = new Map<string, object>()

/** A module that can be requested, but whose functions cannot be called. */
function refusedModule(name: string): object {
  let real = unloaded.get(name)
  if (real === undefined) {
    const functions = [...classesOf(apiOfModules[name] ?? {})].filter(([, apiClass]) => apiClass === 'refused')
    unloaded.set(name, (real = Object.fromEntries(functions.map(([member]) => [member, () => {}]))))
  }
  return standIn(real, name)
}

/** Call it before a built-in module is passed to any code. */
export function guardModule(name: string, module: unknown): void {
  if ((typeof module !== 'object' && typeof module !== 'function') || module === null) return
  guard(module, bare(name), apiOfModules[bare(name)] ?? {})
}

type Load = (request: string, ...rest: unknown[]) => unknown

/**
 * Guards every built-in module as it is loaded, by any `require`. `whenLoaded` makes the module's
 * members simulated.
 */
export function guardLoading(whenLoaded: (name: string, module: object) => void): void {
  const loader = Module as unknown as { _load: Load }
  const realLoad = loader._load
  const prepared = <T>(name: string, module: T): T => {
    whenLoaded(bare(name), module as object)
    guardModule(name, module)
    return module
  }
  loader._load = (request, ...rest) => {
    if (typeof request !== 'string' || !isBuiltin(request)) return realLoad.call(Module, request, ...rest)
    if (caller() !== null && refusedModules.has(bare(request))) return refusedModule(bare(request))
    // Node runs the hooks of `module.registerHooks` here. They belong to the host, such as Vitest.
    const module = prepared(
      request,
      within(null, () => realLoad.call(Module, request, ...rest)),
    )
    return bare(request) === 'process' ? (caller()?.own.process ?? module) : module
  }
  const { getBuiltinModule } = process as { getBuiltinModule?: (name: string) => object | undefined }
  if (getBuiltinModule === undefined) return
  const guardedGet = (name: string): object | undefined => {
    if (caller() !== null && refusedModules.has(bare(name))) return refusedModule(bare(name))
    const module = getBuiltinModule.call(process, name)
    if (module === undefined) return undefined
    return bare(name) === 'process' ? globalThis.process : prepared(name, module)
  }
  Object.assign(process, { getBuiltinModule: guardedGet })
}
