/** Layers and fresh messages for tests with real servers. */
import { expect } from 'vitest'
import { bucketKeysOf } from '../../src/impl/identity.ts'
import { createOnce, type Once, type OnceOptions, type RedisAt, type RunOutcome } from '../../src/impl/once.ts'
import type { Server } from './real-replicas.ts'

/** Few buckets, so that their adoption before each test is fast. */
export const buckets = 8

let forbidden = 0

/**
 * An effect that must not be performed. The layer handles the error that this function throws like
 * that of any failed effect. `closeLayers` therefore reports the call.
 */
export const never = async (): Promise<never> => {
  forbidden++
  throw new Error('an effect that must not be performed')
}

const open: Once[] = []

export function layerAt(redis: RedisAt, options: Partial<OnceOptions> = {}): Once {
  const once = createOnce({
    ...{ redis, buckets, replicas: 0, leaseMs: 6000, retentionMs: 600_000, isRefusal: () => false },
    ...options,
  })
  open.push(once)
  return once
}

/** Runs after each test. Fails if a forbidden effect was performed. */
export function closeLayers(): void {
  for (const once of open.splice(0)) once.close()
  const performed = forbidden
  forbidden = 0
  expect(performed, 'effects that must not be performed').toBe(0)
}

let count = 0
export function freshMessage() {
  return { key: `k${++count}`, payload: 1, producedAt: Date.now() }
}

export function stateAt({ client }: Server, key: string): Promise<string | null> {
  return client.hget(bucketKeysOf(key, buckets).record, 'state')
}

/**
 * The outcome in one line, for messages of failing tests: the status, or the reason with its cause.
 */
export function reportedBy(outcome: RunOutcome<unknown>): string {
  if (!('reason' in outcome)) return outcome.status
  if (outcome.status === 'conflict') return `conflict: ${outcome.reason}`
  const { reason, cause } = outcome
  return cause === undefined ? reason : `${reason}: ${cause instanceof Error ? cause.message : String(cause)}`
}
