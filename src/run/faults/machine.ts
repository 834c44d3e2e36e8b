import fc from 'fast-check'
import type { Plan } from '../../contract/api/plan.ts'
import { independentName } from '../independent-servers.ts'
import type { Scope } from './fault.ts'

/**
 * Draws the machine whose clock is struck: a consumer slot, or -1 for the Redis server. (Scenarios
 * about PostgreSQL draw `postgresClock` instead; scenarios about several independent servers draw
 * -1 to -5.)
 */
export function machines({ consumers }: Scope): fc.Arbitrary<number> {
  return fc.integer({ min: -1, max: consumers - 1 })
}

/**
 * The machine number of the PostgreSQL server. It does not clash with the numbers of Redis servers
 * or Sentinels.
 */
export const postgresClock = -201

/** The machine number of DynamoDB. */
export const dynamodbClock = -301

export function machineName(machine: number, { redis }: Partial<Pick<Plan, 'redis'>> = {}): string {
  if (machine === postgresClock) return 'postgres'
  if (machine === dynamodbClock) return 'dynamodb'
  if (machine < 0 && redis?.independent !== undefined) return independentName(-machine)
  return machine === -1 ? 'redis' : `consumer-${machine + 1}`
}
