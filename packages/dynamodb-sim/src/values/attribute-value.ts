/**
 * A value in requests and answers, with exactly one member. Numbers are decimal text; binaries are
 * base64 text.
 */
export interface AttributeValue {
  readonly S?: string
  readonly N?: string
  readonly B?: string
  readonly BOOL?: boolean
  readonly NULL?: boolean
  readonly SS?: readonly string[]
  readonly NS?: readonly string[]
  readonly BS?: readonly string[]
  readonly L?: readonly AttributeValue[]
  readonly M?: Item
}

export type AttributeType = keyof AttributeValue

export type Item = Readonly<Record<string, AttributeValue>>

export function typeOf(value: AttributeValue): AttributeType {
  for (const type in value) return type as AttributeType
  throw new Error('an attribute value without a type got past validation')
}

/**
 * The member of a map with this name, which may also be the name of a member of `Object.prototype`.
 */
export function memberOf<T>(map: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(map, name) ? map[name] : undefined
}

/** The map with this member added or replaced. Any name is possible, including `__proto__`. */
export function withMember<T>(map: Readonly<Record<string, T>>, name: string, value: T): Record<string, T> {
  return Object.fromEntries([...Object.entries(map).filter(([other]) => other !== name), [name, value]])
}

export function without<T>(map: Readonly<Record<string, T>>, name: string): Record<string, T> {
  return Object.fromEntries(Object.entries(map).filter(([other]) => other !== name))
}

/** Prints a value as error messages contain it: lists in brackets, maps as JSON. */
export function printed(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (Array.isArray(value)) return `[${value.map(printed).join(', ')}]`
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
