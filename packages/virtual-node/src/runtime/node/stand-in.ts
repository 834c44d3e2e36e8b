/**
 * A process gets a stand-in for an object that it cannot use. Packages test whether the object and
 * its members exist, and continue without it; that does not affect the verdict. Using the object
 * makes the result of the run unknown.
 */
import { probed } from './probes.ts'
import { refuse } from './refuse.ts'

export function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function'
}

const made = new WeakMap<object, object>()

/**
 * A proxy with all members of `real`, at any depth. Its functions throw. `constants`: the numbers
 * and texts in `real` are the same in every run. Otherwise, numbers and texts are refused when they
 * are read.
 */
export function standIn(real: object, what: string, constants = false): object {
  probed(what)
  let known = made.get(real)
  if (known === undefined) made.set(real, (known = make(real, what, constants)))
  return known
}

/** The target of a stand-in that can be called and constructed, as the real object can. */
function unused(): void {}

function make(real: object, what: string, constants: boolean): object {
  const members = new Map<string | symbol, object>()
  // The content of a view changes while Node runs.
  const isFixed = constants && !ArrayBuffer.isView(real)
  const memberOf = (name: string | symbol): unknown => {
    const value: unknown = Reflect.get(real, name)
    if (value === Reflect.get(Object.prototype, name) || typeof name === 'symbol') return value
    const member = `${what}.${name}`
    if (isObject(value)) {
      probed(member)
      if (!members.has(name)) members.set(name, make(value, member, constants))
      return members.get(name)
    }
    if (value !== undefined && !isFixed) refuse(member)
    return value
  }
  const refused = (): never => {
    refuse(what)
    throw new Error(`${what} is used outside the simulated processes`)
  }
  return new Proxy(typeof real === 'function' ? unused : {}, {
    get: (_, name) => memberOf(name),
    has: (_, name) => Reflect.has(real, name),
    ownKeys: (target) => [...new Set([...Reflect.ownKeys(target), ...Reflect.ownKeys(real)])],
    getOwnPropertyDescriptor: (target, name) =>
      Reflect.getOwnPropertyDescriptor(target, name) ??
      (Object.hasOwn(real, name) ? { value: memberOf(name), enumerable: true, configurable: true } : undefined),
    set: refused,
    defineProperty: refused,
    deleteProperty: refused,
    apply: refused,
    construct() {
      refuse(`new ${what}`)
      return {}
    },
  })
}
