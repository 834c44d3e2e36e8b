import fc from 'fast-check'
import type { Scope } from './fault.ts'

/** Whose clock it is: a consumer slot, or -1 for the Redis server. */
export function machines({ consumers }: Scope): fc.Arbitrary<number> {
  return fc.integer({ min: -1, max: consumers - 1 })
}

export function machineName(machine: number): string {
  return machine === -1 ? 'redis' : `consumer-${machine + 1}`
}
