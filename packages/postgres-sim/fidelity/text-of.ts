/** Serializes an observation for comparison, with fields and sessions in a fixed order. */
export function textOf(seen: unknown): string {
  return JSON.stringify(seen, (_, value) =>
    value && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  )
}
