/**
 * Data that JSON represents without loss. Plans, payloads, results and tokens consist of it.
 * @example
 * ```ts
 * import type { JsonValue } from 'onceproof'
 *
 * const payload: JsonValue = { order: 1, items: ['a', 'b'], note: null }
 * ```
 */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [name: string]: JsonValue }

/**
 * JSON with object members sorted by name (as RFC 8785 sorts them), so that equal data gives equal
 * text. Members that are `undefined` are left out, as `JSON.stringify` leaves them out.
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null'
  // Every run serialises its plan and payloads with this function, so it builds no intermediate
  // arrays.
  let text = ''
  if (Array.isArray(value)) {
    for (const item of value) text += text === '' ? canonicalJson(item) : `,${canonicalJson(item)}`
    return `[${text}]`
  }
  const members = value as Record<string, unknown>
  for (const name of sortedNames(members)) {
    if (members[name] === undefined) continue
    text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${canonicalJson(members[name])}`
  }
  return `{${text}}`
}

/**
 * Sorts by UTF-16 code units. Insertion sort, because objects have few members and `sort` would
 * allocate for each.
 */
function sortedNames(members: object): readonly string[] {
  const names = Object.keys(members)
  if (names.length > 32) return names.sort()
  for (let at = 1; at < names.length; at++) {
    const name = names[at]!
    let to = at
    for (; to > 0 && names[to - 1]! > name; to--) names[to] = names[to - 1]!
    names[to] = name
  }
  return names
}
