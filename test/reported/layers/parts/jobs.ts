import type { JsonValue } from '../../../../src/contract/api/json.ts'

export interface Order {
  readonly key: string
  readonly payload: JsonValue
}

/** Queues refuse a colon, and a number, as the id of a job. */
export const jobIdOf = (key: string): string => `order-${Buffer.from(key).toString('hex')}`
