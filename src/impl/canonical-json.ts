/**
 * One text for equal data: members sorted by name, `undefined` left out, as RFC 8785 orders them.
 * Throws `TypeError` for what JSON cannot carry (BigInt, cycles).
 */
export function canonicalJson(value: unknown): string {
  const plain = JSON.stringify(value)
  return plain === undefined ? 'null' : sorted(JSON.parse(plain))
}

function sorted(value: unknown): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(sorted).join(',')}]`
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${sorted(member)}`).join(',')}}`
}
