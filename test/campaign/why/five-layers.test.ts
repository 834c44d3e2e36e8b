/** Plays layers with two keys for each message. Each known mistake of them has its own sentence. */
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { attributed } from '../../../src/campaign/causes/attributed.ts'
import { whyOf } from '../../../src/campaign/causes/why/why.ts'
import { atMostOnce } from '../../../src/check/at-most-once.ts'
import { loadImplementation } from '../../../src/sim/adapters/load-implementation.ts'
import { type Play, play } from '../../sim/world-lab.ts'

const message = { key: 'order-1', payload: { order: 1 } }

/** One consumer handles two copies at once, and works longer than its lease. */
const atWork: Play = {
  messages: [0, 900].map((publishAtMs) => ({ ...message, publishAtMs })),
  leaseMs: 500,
  effectMs: 1500,
  effectTimeoutMs: 5000,
}

async function whyBroken(id: string, options: Play): Promise<string> {
  const file = fileURLToPath(new URL(`layers/${id}.ts`, import.meta.url))
  const played = await play(await loadImplementation(file), options)
  const verdict = atMostOnce.judge(played.history)
  if (verdict.verdict !== 'violated') throw new Error(`${id} holds`)
  return whyOf(attributed(played), verdict.violations[0]!).why
}

describe('a holder that works longer than its lease, in a process with two deliveries', () => {
  it.each([
    [
      'lock-and-marker',
      'the claim expired after 500 ms, while the effect of its holder was still under way, and the next attempt took the key',
    ],
    [
      'lock-and-field',
      'the claim expired after 500 ms, while the effect of its holder was still under way, and the next attempt took the key',
    ],
    [
      'lock-by-timestamp',
      'the next attempt considered the claim expired by its stored time (GET), and overwrote it (GETSET) while its holder was still at work',
    ],
    [
      'lease-in-sorted-set',
      'the next attempt considered the claim expired by its stored time (ZSCORE), and overwrote it (ZADD) while its holder was still at work',
    ],
  ])('has its own sentence: %s', async (id, why) => {
    expect(await whyBroken(id, atWork)).toBe(why)
  })
})

it('an index that expires before its markers has its own sentence', async () => {
  const messages = [0, 2_000].map((publishAtMs) => ({ ...message, publishAtMs }))
  expect(await whyBroken('marker-and-index', { messages, retentionMs: 4_000 })).toBe(
    'DEL of the next attempt deleted the claim of the first, and it found the key free after that',
  )
})
