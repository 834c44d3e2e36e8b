/**
 * A counter in Redis gives each attempt a fence. The sink gets the fence first, and returns whether
 * the effect has happened. Why it is correct, and what it assumes: docs/findings/correct-layers.md.
 *
 * Decided here: `refused` is never returned; a refusal is tried again.
 */
import { defineImplementation } from '../../src/contract/api/implementation.ts'
import type { Sink } from '../../src/contract/api/sink.ts'
import { bindPayload } from './parts/bind-payload.ts'
import { openClient } from './parts/open-client.ts'

const nextFence = `local fence = redis.call('INCR', KEYS[1]) redis.call('PEXPIRE', KEYS[1], ARGV[1]) return fence`

export default defineImplementation({
  id: 'raise-before-fenced-sink',
  about: 'A fence by INCR, raised at the sink before the effect: from then on the sink refuses every earlier attempt.',
  expect: 'holds',
  recoveryBoundMs: 60_000,
  sinks: ['fenced'],
  leavesNoDoubtOn: ['fenced'],
  lacks: ['lease'],
  async create({ redis, retentionMs, sink }) {
    const client = openClient(redis)
    return {
      async handle({ key, payload }) {
        if (!(await bindPayload(client, key, payload, 2 * retentionMs)))
          return { status: 'dead-letter', reason: 'key-reused' }
        const counter = `fence:${key}`
        const raised = await raise(sink, key, (await client.eval(nextFence, 1, counter, 2 * retentionMs)) as number)
        if (raised.status === 'applied') return { status: 'done', result: raised.receipt }
        return { status: 'done', result: await sink.perform({ key, payload, fence: raised.fence }) }
      },
      close: () => client.disconnect(),
    }
  },
})

/** If Redis has forgotten the highest fence, the sink reports it: the next fence is above it. */
async function raise(sink: Sink, key: string, fence: number) {
  const answer = await sink.raise!(key, fence)
  if (answer.status === 'refused') return raise(sink, key, answer.highest + 1)
  return answer.status === 'applied' ? answer : { status: 'clear' as const, fence }
}
