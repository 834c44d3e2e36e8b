/** Inspects the state of modules of a package during tests, beyond their exports. */
import { Session } from 'node:inspector'
import { types } from 'node:util'

type Found = Map<object, Map<unknown, unknown>>

/**
 * A snapshot of everything that modules hold: properties of their exports, the variables that their
 * functions close over, and all that is reachable from there. Excluded: WeakMaps, whose entries
 * belong to their keys, and functions of other scripts.
 */
export class ModuleState {
  readonly #found: Found = new Map()

  constructor(exported: object, skipped: ReadonlySet<object>) {
    const scopes = new Scopes()
    const seen = new Set<unknown>(skipped)
    const waiting: [object, string][] = [[exported, 'exports']]
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const [object, path] = next
      if (seen.has(object)) continue
      seen.add(object)
      const closed = typeof object === 'function' ? scopes.of(object) : []
      if (closed === null) continue
      this.#paths.set(object, path)
      const held = new Map<unknown, unknown>(ownOf(object))
      for (const scope of closed) for (const own of scope) held.set(...own)
      this.#found.set(object, held)
      for (const [name, value] of held) if (isObject(value)) waiting.push([value, `${path} > ${String(name)}`])
    }
    scopes.close()
  }

  readonly #paths = new Map<object, string>()

  /** The places at which `later` holds something different or more. */
  differences(later: ModuleState): string[] {
    const changed: string[] = []
    for (const [object, held] of later.#found) {
      const before = this.#found.get(object)
      const path = later.#paths.get(object)!
      if (before === undefined) continue // Then the object that holds it has changed.
      const names = new Set([...before.keys(), ...held.keys()])
      for (const name of names)
        if (!Object.is(before.get(name), held.get(name))) changed.push(`${path} > ${String(name)}`)
    }
    return changed
  }

  get size(): number {
    return this.#found.size
  }
}

function ownOf(object: object): [unknown, unknown][] {
  const own: [unknown, unknown][] = [['[[Prototype]]', Object.getPrototypeOf(object)]]
  for (const [name, { value, get, set }] of Object.entries(Object.getOwnPropertyDescriptors(object)))
    own.push([name, value], [`get ${name}`, get], [`set ${name}`, set])
  if (types.isMap(object)) own.push(...[...object].map(([key, value]): [unknown, unknown] => [key, value]))
  if (types.isSet(object)) own.push(...[...object].map((value): [unknown, unknown] => [value, value]))
  return own.filter(([, value]) => value !== undefined)
}

const isObject = (value: unknown): value is object =>
  (typeof value === 'object' && value !== null) || typeof value === 'function'

interface Named {
  readonly name: string
  readonly value?: { readonly objectId?: string; readonly description?: string; readonly value?: unknown }
}

/** The used part of the debugger’s answers. */
interface Answer {
  readonly result?: { readonly objectId?: string }
  readonly internalProperties?: readonly Named[]
}

/** Reads the variables that a function closes over by V8’s debugger. */
class Scopes {
  readonly #session = new Session()
  #handed: unknown
  #script: string | undefined

  constructor() {
    this.#session.connect()
    Object.assign(globalThis, { onceproofHand: (value: unknown) => (this.#handed = value) })
  }

  /** Null if the function belongs to another script than the first inspected function. */
  of(closure: Function): [name: string, value: unknown][][] | null {
    Object.assign(globalThis, { onceproofClosure: closure })
    const { result: remote } = this.#post('Runtime.evaluate', { expression: 'onceproofClosure' })
    const { internalProperties = [] } = this.#post('Runtime.getProperties', { objectId: remote?.objectId })
    const location = internalProperties.find(({ name }) => name === '[[FunctionLocation]]')
    const { scriptId } = (location?.value?.value ?? {}) as { scriptId?: string }
    this.#script ??= scriptId
    if (scriptId !== this.#script) return null
    const list = internalProperties.find(({ name }) => name === '[[Scopes]]')
    if (list?.value?.objectId === undefined) return [] // Native or bound functions.
    const { result: scopes } = this.#post('Runtime.getProperties', {
      objectId: list.value.objectId,
      ownProperties: true,
    })
    const own = (scopes as unknown as Named[]).filter(({ value }) => /^(Closure|Block)/.test(value?.description ?? ''))
    return own.map(({ value }) => this.#variables(value?.objectId))
  }

  #variables(objectId: string | undefined): [string, unknown][] {
    const functionDeclaration = 'function () { onceproofHand(Object.entries(this.object)) }'
    this.#post('Runtime.callFunctionOn', { objectId, functionDeclaration })
    return (this.#handed as [string, unknown][]).filter(([, value]) => value !== undefined)
  }

  #post(method: string, parameters: object): Answer {
    let answer: Answer = {}
    this.#session.post(method, parameters, (error: Error | null, result?: object) => {
      if (error) throw new Error(JSON.stringify(error))
      answer = result ?? {}
    })
    return answer
  }

  close(): void {
    this.#session.disconnect()
    Object.assign(globalThis, { onceproofHand: undefined, onceproofClosure: undefined })
  }
}
