import type { JsonValue } from '../../../../src/contract/api/json.ts'

export interface Order {
  readonly key: string
  readonly payload: JsonValue
}

/** Queues refuse a job id that contains a colon or is a number. */
export const jobIdOf = (key: string): string => `order-${Buffer.from(key).toString('hex')}`
