/** Data that survives JSON unchanged: what plans, payloads, results and tokens are made of. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [name: string]: JsonValue }

/**
 * JSON with object members sorted by name (as RFC 8785 sorts them), so that equal data gives equal text.
 * Members that are `undefined` are left out, as `JSON.stringify` leaves them out.
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null'
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  const members = value as Record<string, unknown>
  const names = Object.keys(members)
    .filter((name) => members[name] !== undefined)
    .sort()
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonicalJson(members[name])}`).join(',')}}`
}
