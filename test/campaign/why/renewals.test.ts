/** A holder renews its claim by a timer. A renewal is not the deciding step. */
import type { Reply } from 'redis-sim/resp'
import { OK, StatusReply } from 'redis-sim/resp'
import { describe, expect, it } from 'vitest'
import { attributed } from '../../../src/campaign/causes/attributed.ts'
import { decidingStep } from '../../../src/campaign/causes/deciding-step.ts'
import { renewalsIn } from '../../../src/campaign/causes/renewals.ts'
import { whyOf } from '../../../src/campaign/causes/why/why.ts'
import { atMostOnce } from '../../../src/check/at-most-once.ts'
import type { ExecutedCommand } from '../../../src/sim/world.ts'
import { play } from '../../sim/world-lab.ts'
import { renewedLock } from './layers/renewed-lock.ts'

async function judged(layer: Parameters<typeof play>[0]) {
  const messages = [0, 5000].map((publishAtMs) => ({ key: 'order-1', payload: { order: 1 }, publishAtMs }))
  const played = await play(layer, { messages, consumers: 2, leaseMs: 1000 })
  const verdict = atMostOnce.judge(played.history)
  if (verdict.verdict !== 'violated') throw new Error('it holds')
  const run = attributed(played)
  const [violation] = verdict.violations
  const hot = await play(layer, { messages, consumers: 2, leaseMs: 1000, record: false })
  const inHotRun = atMostOnce.judge(hot.history)
  if (inHotRun.verdict !== 'violated') throw new Error('a hot run holds')
  expect(decidingStep(hot, inHotRun.violations[0]!)).toBe(decidingStep(run, violation!))
  return {
    decidedBy: decidingStep(run, violation!),
    why: whyOf(run, violation!).why,
    labels: played.executed.map(({ label }) => label),
  }
}

const deletedWhenDone =
  'the first attempt deleted its claim when it was done, and no record of the effect was left for the next attempt'

describe('a lock that is renewed by a timer before the effect', () => {
  it.each(['command', 'set', 'script', 'script that writes', 'never'] as const)(
    'has its claim as the deciding step: renewed by %s',
    async (renews) => {
      const { decidedBy, why, labels } = await judged(renewedLock(renews))
      expect(new Set(labels).size).toBe(renews === 'never' || renews === 'set' ? 2 : 3)
      // It is unknown how a writing script changed the claim.
      const reason =
        renews === 'script that writes' ? 'the last effect was sent after SET NX had answered OK' : deletedWhenDone
      expect({ decidedBy, why }).toEqual({ decidedBy: 'SET: OK', why: reason })
    },
  )

  it.each(['command', 'script', 'script that writes'] as const)(
    'has its claim as the deciding step if a script took it: renewed by %s',
    async (renews) => {
      const { decidedBy, labels } = await judged(renewedLock(renews, true))
      expect(decidedBy).toBe(`${labels[0]}: 1`)
    },
  )
})

describe('a renewal', () => {
  const sent = (words: readonly string[], reply: Reply, session?: { endedSeq: null }): ExecutedCommand => {
    const label = session === undefined ? words[0]! : words[0]!.split(' ').slice(0, 2).join(' ')
    return { process: 'a', label, seq: 1, args: words, reply, ...(session && { session }) }
  }
  const isRenewal = (...steps: readonly ExecutedCommand[]) => renewalsIn(steps, steps).has(steps.at(-1)!)
  const claim = sent(['SET', 'lock', 'me', 'PX', '1000', 'NX'], OK)

  it('finds its own claim', () => {
    expect(isRenewal(claim, sent(['PEXPIRE', 'lock', '1000'], 1))).toBe(true)
    expect(isRenewal(claim, sent(['PEXPIRE', 'lock', '1000'], 0))).toBe(false)
    expect(isRenewal(claim, sent(['PEXPIRE', 'other', '1000'], 1))).toBe(false)
    expect(isRenewal(sent(['PEXPIRE', 'lock', '1000'], 1))).toBe(false)
    expect(isRenewal(claim, sent(['SET', 'lock', 'other', 'XX'], OK))).toBe(false)
  })

  it('writes: a script that only reads is not a renewal', () => {
    const script = (body: string) => sent(['EVAL', body, '1', 'lock', 'me'], 1)
    expect(isRenewal(claim, script("return redis.call('pexpire', KEYS[1], 5)"))).toBe(true)
    expect(isRenewal(claim, script("return redis.call('exists', KEYS[1])"))).toBe(false)
    expect(isRenewal(claim, script("return redis.call('hset', KEYS[1], 'begun', 1)"))).toBe(false)
    const beat = script("return redis.call('hset', KEYS[1], 'seen', ARGV[1])")
    expect(isRenewal(claim, beat, { ...beat })).toBe(true)
    expect(isRenewal(beat, { ...beat })).toBe(false)
  })

  it('only sets a time in a row of PostgreSQL', () => {
    const session = { endedSeq: null }
    const row = sent(['INSERT locks (key) VALUES ($1)', 'k1'], new StatusReply('INSERT 0 1'), session)
    const update = (assigned: string, tag: string) =>
      sent([`UPDATE locks SET ${assigned} WHERE key = $1`, 'k1'], new StatusReply(tag), session)
    expect(isRenewal(row, update("until = now() + interval '5 s'", 'UPDATE 1'))).toBe(true)
    expect(isRenewal(row, update("until = now() + interval '5 s'", 'UPDATE 0'))).toBe(false)
    expect(isRenewal(row, update("state = 'begun', until = now()", 'UPDATE 1'))).toBe(false)
  })
})
