import { describe, expect, it } from 'vitest'
import { boundedStall } from '../../../src/check/bounded-stall.ts'
import { kinds } from '../../check/kinds.ts'
import { done, layer, play, sleep } from '../world-lab.ts'

const slow = (ms: number) =>
  layer(async () => {
    await sleep(ms)
    return done
  })

/** The way from the broker to the consumer takes this long. */
const farAway = { kind: 'slow-link', when: { at: 'time', ms: 0 }, consumer: 0, node: 'broker', extraMs: 500 } as const
const messages = [{ key: 'order-1', payload: { order: 1 }, publishAtMs: 10 }]
const plan = { messages, faults: [{ ...farAway, healAfterMs: 60_000 }] }

describe('a layer that declares a limit for its answers', () => {
  it('gets the time of the call of its handler recorded, and is judged by it', async () => {
    const judged = async (ms: number) => {
      const { history, of } = await play({ ...slow(ms), answersWithinMs: 300 }, plan)
      const [delivered, answered] = [of('delivered')[0]!, of('answered')[0]!]
      expect(answered.receivedUs! - delivered.atUs).toBeGreaterThan(500_000)
      expect(answered.atUs - answered.receivedUs!).toBe(ms * 1000)
      expect(history.header.answersWithinMs).toBe(300)
      return kinds(boundedStall.judge(history))
    }
    expect(await judged(300)).toBe('valid')
    expect(await judged(301)).toEqual(['call-goes-on'])
  })

  it('changes no history of layers without the declaration', async () => {
    const { history, of } = await play(slow(301), plan)
    expect(of('answered')[0]).not.toHaveProperty('receivedUs')
    expect(history.header).not.toHaveProperty('answersWithinMs')
    expect(kinds(boundedStall.judge(history))).toBe('valid')
  })
})
