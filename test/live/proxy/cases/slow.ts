import assert from 'node:assert/strict'
import { type Ends, ends } from '../bench.ts'
import type { Case } from './case.ts'

const extraMs = 100
/** How much earlier something may come, since timers and clocks round. */
const roundingMs = 5

const travelMs = async (both: Ends, direction: 'to-node' | 'to-process'): Promise<number> => {
  const { sender, receiver } = ends(both, direction)
  const startedMs = performance.now()
  sender.send('.')
  await receiver.receive(receiver.text.length + 1)
  return performance.now() - startedMs
}

const roundTripMs = async (both: Ends): Promise<number> =>
  (await travelMs(both, 'to-node')) + (await travelMs(both, 'to-process'))

/** Links that take longer. */
export const slowCases: readonly Case[] = [
  {
    name: `slow by ${extraMs} ms: each direction takes that much longer, also on a connection that was open before`,
    about: 'slow',
    async run(sentinels) {
      const { link, connect } = await sentinels.link()
      const before = await connect()
      await link.slow(extraMs)
      for (const both of [before, await connect()])
        for (const direction of ['to-node', 'to-process'] as const) {
          const ms = await travelMs(both, direction)
          assert.ok(ms >= extraMs - roundingMs, `${direction} ${ms} ms`)
        }
    },
  },
  {
    name: 'slow: order is kept, and delays of bytes that follow each other do not add up',
    about: 'slow',
    async run(sentinels) {
      const { link, connect } = await sentinels.link()
      const { process, node } = await connect()
      const longMs = 2_000
      await link.slow(longMs)
      const texts = Array.from({ length: 40 }, (_, at) => `${at} `)
      const startedMs = performance.now()
      for (const text of texts) {
        process.send(text)
        await new Promise((resolve) => setTimeout(resolve, 1))
      }
      await sentinels.settle()
      assert.equal(node.text, '')
      const whole = texts.join('')
      assert.equal(await node.receive(whole.length), whole)
      const ms = performance.now() - startedMs
      assert.ok(ms >= longMs - roundingMs && ms < 4 * longMs, `${ms} ms`)
    },
  },
  {
    name: 'slow no longer: what waits arrives at once, in order, and nothing waits after that',
    about: 'slow',
    async run(sentinels) {
      const { link, connect } = await sentinels.link()
      const both = await connect()
      await link.slow(60_000)
      for (const text of ['one ', 'two ', 'three']) {
        both.process.send(text)
        await sentinels.settle()
      }
      assert.equal(both.node.text, '')
      await link.slow(-60_000)
      assert.equal(await both.node.receive(13), 'one two three')
      await roundTripMs(both)
    },
  },
  {
    name: 'slow by two faults: their delays add up, and go one by one',
    about: 'slow',
    async run(sentinels) {
      const { link, connect } = await sentinels.link()
      const both = await connect()
      await link.slow(extraMs)
      await link.slow(extraMs)
      const ms = await travelMs(both, 'to-process')
      assert.ok(ms >= 2 * extraMs - roundingMs, `${ms} ms`)
      await link.slow(-extraMs)
      assert.ok((await travelMs(both, 'to-process')) >= extraMs - roundingMs)
      await link.slow(-extraMs)
      // The shortest of three: the machine may have had other things to do during one.
      const trips = [await roundTripMs(both), await roundTripMs(both), await roundTripMs(both)]
      assert.ok(Math.min(...trips) < extraMs, `${trips} ms`)
    },
  },
]
