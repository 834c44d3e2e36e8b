/**
 * The reference layer (src/impl) behind the harness's contract. What it guarantees: docs/guarantees.md.
 *
 * Decided here: what is in doubt, and a key that comes again with another payload, is parked; a `retry` first waits as
 * long as the layer advises, because the broker of the contract cannot be told when to deliver again. One bucket for one
 * primary, and a few for a Cluster, so that its shards share them: more would only slow the simulation down.
 */
import { defineImplementation, type RedisAddress } from '../../src/contract/implementation.ts'
import type { Outcome } from '../../src/contract/message.ts'
import { type EffectResult, isSinkRefusal, type RaiseAnswer, type Sink } from '../../src/contract/sink.ts'
import { adopt, createOnce, type Raised, type RedisAt, type RunOutcome, type SinkRules } from '../../src/impl/once.ts'

export default defineImplementation({
  id: 'reference',
  about: 'The reference: one record per key, a point of no return before the effect, doubt instead of repetition.',
  expect: 'holds',
  // A lease (the longest that scenarios draw is 10 s) and the time-outs of a command before and after it, thrice over.
  recoveryBoundMs: 60_000,
  sinks: ['plain', 'keyed', 'fenced'],
  shapes: ['single', 'sentinel', 'cluster'],
  waitsForReplicas: true,
  lacks: ['offline-queue'],
  has: ['command-timeout', 'pipeline'],
  /** Nothing was ever performed before. */
  async deploy({ redis }) {
    const adopted = await adopt({ ...placeOf(redis), since: 0 })
    if (adopted.status !== 'adopted') throw new Error(`not adopted: ${adopted.status}`)
  },
  create({ redis, leaseMs, retentionMs, sink }) {
    const { replicas = 0, waitFor = replicas } = redis
    const once = createOnce({
      ...placeOf(redis),
      replicas: waitFor,
      allowMinority: waitFor < replicas,
      leaseMs,
      retentionMs,
      sink: rulesOf(sink),
      isRefusal: isSinkRefusal,
    })
    return {
      async handle({ key, payload, producedAt }) {
        const outcome = await once.run<EffectResult>({ key, payload, producedAt }, ({ fence }) =>
          sink.perform({ key, payload, fence }),
        )
        if (outcome.status === 'retry') await new Promise((resolve) => setTimeout(resolve, outcome.retryAfterMs))
        return answerOf(outcome)
      },
      close: () => once.close(),
    }
  },
})

function placeOf({ options, nodes }: RedisAddress): { redis: RedisAt; buckets: number } {
  return nodes.length > 1 && !('sentinels' in options)
    ? { redis: { nodes }, buckets: 8 }
    : { redis: options, buckets: 1 }
}

function rulesOf(sink: Sink): SinkRules {
  if (sink.kind !== 'fenced') return { kind: sink.kind }
  return { kind: 'fenced', raise: async (key, fence) => raisedOf(await sink.raise!(key, fence)) }
}

function raisedOf(answer: RaiseAnswer): Raised {
  return answer.status === 'applied' ? { status: 'applied', result: answer.receipt } : answer
}

function answerOf(outcome: RunOutcome<EffectResult>): Outcome {
  switch (outcome.status) {
    case 'done':
      return { status: 'done', result: outcome.result }
    case 'refused':
      return { status: 'refused', error: outcome.error }
    case 'retry':
      return { status: 'retry', reason: outcome.reason }
    case 'in-doubt':
      return { status: 'park', reason: `in-doubt: ${outcome.reason}` }
    case 'conflict':
      return { status: 'park', reason: 'key-reused' }
  }
}
