/**
 * Labels requests to DynamoDB for people and for crash points, by operation and table: `PutItem
 * IdempotencyStore`. The label of a request on several tables is the operation alone.
 */
export function labelOfRequest(operation: string, input: unknown): string {
  const { TableName } = (input ?? {}) as { TableName?: unknown }
  return typeof TableName === 'string' ? `${operation} ${TableName}` : operation
}

/** The string values in a request. A message's key is among them. */
export function stringsOfRequest(input: unknown): readonly string[] {
  if (typeof input !== 'object' || input === null) return []
  return Object.entries(input).flatMap(([name, value]) =>
    name === 'S' && typeof value === 'string' ? [value] : stringsOfRequest(value),
  )
}

/** The integers among the values in a request. A time to live is among them. */
export function numbersOfRequest(input: unknown): readonly number[] {
  if (typeof input !== 'object' || input === null) return []
  return Object.entries(input).flatMap(([name, value]) =>
    name === 'N' && /^\d{1,15}$/.test(String(value)) ? [Number(value)] : numbersOfRequest(value),
  )
}
