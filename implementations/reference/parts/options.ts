/** Translates the harness's arguments for adapters into options of the reference layer. */
import type { CreateContext, RedisAddress } from '../../../src/contract/api/implementation.ts'
import type { RaiseAnswer, Sink } from '../../../src/contract/api/sink.ts'
import type { OnceOptions, Raised, RedisAt, SinkRules } from '../../../src/impl/once.ts'

/** All options except `isRefusal`, which only the adapter knows. */
export function optionsOf({ redis, leaseMs, retentionMs, sink }: CreateContext): OnceOptions {
  const { replicas = 0, waitFor = replicas } = redis
  return {
    ...placeOf(redis),
    replicas: waitFor,
    allowMinority: waitFor < replicas,
    leaseMs,
    retentionMs,
    sink: rulesOf(sink),
  }
}

/**
 * One bucket for one primary; for a Cluster, a few buckets that its shards share. More buckets
 * would be slow.
 */
export function placeOf({ options, nodes }: RedisAddress): { redis: RedisAt; buckets: number } {
  return nodes.length > 1 && !('sentinels' in options)
    ? { redis: { nodes }, buckets: 8 }
    : { redis: options, buckets: 1 }
}

export function rulesOf(sink: Sink): SinkRules {
  if (sink.kind !== 'fenced') return { kind: sink.kind === 'keyed' ? 'keyed' : 'plain' }
  return { kind: 'fenced', raise: async (key, fence) => raisedOf(await sink.raise!(key, fence)) }
}

function raisedOf(answer: RaiseAnswer): Raised {
  return answer.status === 'applied' ? { status: 'applied', result: answer.receipt } : answer
}
