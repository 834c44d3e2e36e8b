import { Digest } from 'virtual-node/kernel'
import { describe, expect, it } from 'vitest'
import type { Fact } from '../../../src/contract/api/history.ts'
import { Recorder } from '../../../src/sim/world/recorder.ts'

const [process, key, fingerprint, sentence] = ['consumer-1', 'k1', '1', 'it happens']

/** A fact of each type. */
const facts = {
  published: { type: 'published', messageId: 'm1', key, fingerprint, copy: false },
  delivered: { type: 'delivered', deliveryId: 1, messageId: 'm1', key, fingerprint, attempt: 1, process },
  answered: { type: 'answered', deliveryId: 1, process, outcome: { status: 'retry' } },
  threw: { type: 'threw', deliveryId: 1, process, error: 'no' },
  'delivery-timed-out': { type: 'delivery-timed-out', deliveryId: 1 },
  'acknowledgement-lost': { type: 'acknowledgement-lost', deliveryId: 1 },
  settled: { type: 'settled', messageId: 'm1', as: 'done' },
  'effect-sent': { type: 'effect-sent', requestId: 1, deliveryId: 1, process, key, fingerprint },
  'effect-applied': {
    type: 'effect-applied',
    requestId: 1,
    process,
    key,
    fingerprint,
    receipt: { effectId: 'e1', key, result: null },
  },
  'effect-deduplicated': { type: 'effect-deduplicated', requestId: 1, key, effectId: 'e1' },
  'effect-refused': { type: 'effect-refused', requestId: 1, key, reason: 'refused' },
  'effect-cancelled': { type: 'effect-cancelled', process, key, reference: 'r1', effects: ['e1'] },
  'effect-answered': { type: 'effect-answered', requestId: 1, process, answer: 'receipt' },
  lock: { type: 'lock', process, key, what: 'lost' },
  'process-started': { type: 'process-started', process },
  'process-ended': { type: 'process-ended', process, how: 'crashed' },
  'process-paused': { type: 'process-paused', process },
  'process-resumed': { type: 'process-resumed', process },
  'fault-struck': { type: 'fault-struck', fault: 'pause', index: 0, sentence },
  'fault-healed': { type: 'fault-healed', fault: 'pause', index: 0, sentence },
  'reply-lost': { type: 'reply-lost', process, command: 'GET' },
  'request-lost': { type: 'request-lost', process, command: 'GET' },
  'command-strayed': { type: 'command-strayed', process, command: 'GET', how: 'torn', forUs: 1 },
  'data-lost': { type: 'data-lost', node: 'redis', cause: 'flush' },
  topology: { type: 'topology', node: 'redis-2', what: 'promoted', sentence },
  'all-healed': { type: 'all-healed' },
  'keys-counted': { type: 'keys-counted', keys: 1, withoutExpiry: 0 },
  unanswered: { type: 'unanswered', deliveryId: 1, process, receivedUs: 0, hangs: {} },
  unsupported: { type: 'unsupported', what: 'FCALL' },
  ended: { type: 'ended', complete: true },
} satisfies { [T in Fact['type']]: Extract<Fact, { type: T }> }

function digestOf(...recorded: readonly Fact[]): string {
  const digest = new Digest()
  const recorder = new Recorder(() => 0, digest, false)
  for (const fact of recorded) recorder.fact({ ...fact })
  return digest.hex()
}

const beside: readonly Fact['type'][] = ['command-strayed', 'unanswered']

describe('the digest of a run', () => {
  it('distinguishes all types of facts, except those newer than tokens', () => {
    const inDigest = Object.values(facts).filter(({ type }) => !beside.includes(type))
    expect(new Set(inDigest.map((fact) => digestOf(fact))).size).toBe(inDigest.length)
    expect(inDigest.map((fact) => digestOf(fact))).not.toContain(digestOf())
  })

  it('is the same with and without the newer facts', () => {
    for (const type of beside) {
      expect(digestOf(facts[type])).toBe(digestOf())
      expect(digestOf(facts.published, facts[type])).toBe(digestOf(facts.published))
    }
  })
})

it('facts after the end are not recorded', () => {
  const recorder = new Recorder(() => 7, new Digest(), true)
  recorder.fact({ ...facts.published })
  recorder.fact({ ...facts.ended })
  recorder.fact({ ...facts['process-ended'] })
  recorder.trace({ type: 'network', process, text: 'closed' })
  expect(recorder.events.map(({ type, seq, atUs }) => [type, seq, atUs])).toEqual([
    ['published', 0, 7],
    ['ended', 1, 7],
  ])
})
