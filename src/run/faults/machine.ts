import fc from 'fast-check'
import type { Scope } from './fault.ts'

/** Whose clock it is: a consumer slot, or -1 for the Redis server. (`postgresClock` is drawn by scenarios about it.) */
export function machines({ consumers }: Scope): fc.Arbitrary<number> {
  return fc.integer({ min: -1, max: consumers - 1 })
}

/** The clock of the PostgreSQL server, beside those of Redis servers and Sentinels. */
export const postgresClock = -201

/** That of DynamoDB. */
export const dynamodbClock = -301

export function machineName(machine: number): string {
  if (machine === postgresClock) return 'postgres'
  if (machine === dynamodbClock) return 'dynamodb'
  return machine === -1 ? 'redis' : `consumer-${machine + 1}`
}
