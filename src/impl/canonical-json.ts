/**
 * Writes equal data as equal text, with members sorted as in RFC 8785. Rejects data that JSON would
 * lose. Reads the data only once, so that the checked values are the written ones.
 */

/**
 * How exactly JSON must reproduce the data. `identical`: the same data. `equal`: undefined
 * members are allowed (JSON omits them), and so is -0, which `===` does not distinguish from
 * 0.
 */
export type Fidelity = 'identical' | 'equal'

/** Throws `TypeError` for data that JSON loses, with the path to it: `payload.items[2]`. */
export function canonicalJson(name: string, value: unknown, fidelity: Fidelity): string {
  return new Writing(name, fidelity).text(value)
}

const remedy = 'use plain objects, arrays, strings, finite numbers, true, false and null'
const deepest = 1000

class Writing {
  readonly #name: string
  readonly #fidelity: Fidelity
  readonly #path: (string | number)[] = []
  readonly #around: object[] = []

  constructor(name: string, fidelity: Fidelity) {
    this.#name = name
    this.#fidelity = fidelity
  }

  text(value: unknown): string {
    switch (typeof value) {
      case 'string':
      case 'boolean':
        return JSON.stringify(value)
      case 'number':
        return this.#number(value)
      case 'object':
        return value === null ? 'null' : this.#nested(value)
      case 'undefined':
        return this.#refuse('is undefined')
      default:
        return this.#refuse(`is a ${typeof value}`)
    }
  }

  #number(value: number): string {
    if (!Number.isFinite(value)) this.#refuse(`is ${value}`)
    if (Object.is(value, -0) && this.#fidelity === 'identical') this.#refuse('is -0')
    return JSON.stringify(value)
  }

  #nested(value: object): string {
    if (this.#around.includes(value)) this.#refuse('contains itself')
    if (this.#around.length === deepest) this.#refuse(`is nested more than ${deepest} deep`)
    this.#around.push(value)
    const text = Array.isArray(value) ? this.#array(value) : this.#object(value as Record<string, unknown>)
    this.#around.pop()
    return text
  }

  #array(value: readonly unknown[]): string {
    if (!Array.isArray(Object.getPrototypeOf(value))) this.#refuseInstance(value)
    const items: string[] = []
    for (let at = 0; at < value.length; at++) {
      const hole = !Object.hasOwn(value, at)
      items.push(this.#at(at, () => (hole ? this.#refuse('is a hole') : this.text(value[at]))))
    }
    // `ownKeys` also lists the array's `length`.
    if (Reflect.ownKeys(value).length > items.length + 1) this.#refuse('is an array with members beside its items')
    return `[${items.join(',')}]`
  }

  #object(value: Readonly<Record<string, unknown>>): string {
    if (!isPlain(value)) this.#refuseInstance(value)
    const names = Object.keys(value)
    if (Reflect.ownKeys(value).length > names.length) this.#refuse('has members that are hidden or named by symbols')
    const members: string[] = []
    for (const name of names.sort()) {
      const member = value[name]
      if (member === undefined && this.#fidelity === 'equal') continue
      members.push(`${JSON.stringify(name)}:${this.#at(name, () => this.text(member))}`)
    }
    return `{${members.join(',')}}`
  }

  #at(step: string | number, write: () => string): string {
    this.#path.push(step)
    const text = write()
    this.#path.pop()
    return text
  }

  #refuseInstance(value: object): never {
    const { name } = Object(value.constructor)
    return this.#refuse(`is an instance of ${typeof name === 'string' && name !== '' ? name : 'a class'}`)
  }

  #refuse(what: string): never {
    const path = this.#path.map(stepText).join('')
    throw new TypeError(`${this.#name}${path} ${what}, which JSON does not give back: ${remedy}`)
  }
}

/** Also accepts objects of another realm, which has a different `Object`. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype === null) return true
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype as object, 'isPrototypeOf')
}

function stepText(step: string | number): string {
  if (typeof step === 'number') return `[${step}]`
  return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`
}
