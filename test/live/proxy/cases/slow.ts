import assert from 'node:assert/strict'
import { type Bench, type Ends, ends } from '../bench.ts'
import type { Line } from '../line.ts'
import { type Case, inBothDirections } from './case.ts'

/** Longer than bytes take on any test machine. */
const longMs = 2_000
/** How much earlier bytes may arrive, because timers and clocks round. */
const roundingMs = 5

/** Checks that bytes are delayed by at least `ms`, and do not arrive with bytes of a fast link. */
async function takes(ms: number, bench: Bench, lines: readonly { readonly sender: Line; readonly receiver: Line }[]) {
  const before = lines.map(({ receiver }) => receiver.text.length)
  const startedMs = performance.now()
  for (const { sender } of lines) sender.send('.')
  await bench.settle()
  assert.deepEqual(
    lines.map(({ receiver }) => receiver.text.length),
    before,
  )
  await Promise.all(lines.map(({ receiver }, at) => receiver.receive(before[at]! + 1)))
  const tookMs = performance.now() - startedMs
  assert.ok(tookMs >= ms - roundingMs, `${tookMs} ms`)
}

async function roundTripMs({ process, node }: Ends): Promise<number> {
  const startedMs = performance.now()
  process.send('.')
  await node.receive(node.text.length + 1)
  node.send('.')
  await process.receive(process.text.length + 1)
  return performance.now() - startedMs
}

/** Links with a delay. */
export const slowCases: readonly Case[] = [
  ...inBothDirections(
    'slow',
    (direction) => `slow ${direction}: bytes take that much longer, also on a connection that was open before`,
    async (bench, direction) => {
      const { link, connect } = await bench.link()
      const before = await connect()
      await link.slow(longMs)
      const both = [before, await connect()]
      await takes(
        longMs,
        bench,
        both.map((one) => ends(one, direction)),
      )
    },
  ),
  ...inBothDirections(
    'slow',
    (direction) => `slow ${direction}: order is kept, and delays of bytes that follow each other do not add up`,
    async (bench, direction) => {
      const { link, connect } = await bench.link()
      const { sender, receiver } = ends(await connect(), direction)
      await link.slow(longMs)
      const texts = Array.from({ length: 40 }, (_, at) => `${at} `)
      const startedMs = performance.now()
      for (const text of texts) {
        sender.send(text)
        await new Promise((resolve) => setTimeout(resolve, 1))
      }
      await bench.settle()
      assert.equal(receiver.text, '')
      const whole = texts.join('')
      assert.equal(await receiver.receive(whole.length), whole)
      const ms = performance.now() - startedMs
      assert.ok(ms >= longMs - roundingMs && ms < 4 * longMs, `${ms} ms`)
    },
  ),
  ...inBothDirections(
    'slow',
    (direction) => `slow ${direction} no longer: what waits arrives at once, in order, and nothing waits after that`,
    async (bench, direction) => {
      const { link, connect } = await bench.link()
      const both = await connect()
      const { sender, receiver } = ends(both, direction)
      await link.slow(60_000)
      for (const text of ['one ', 'two ', 'three']) {
        sender.send(text)
        await bench.settle()
      }
      assert.equal(receiver.text, '')
      await link.slow(-60_000)
      assert.equal(await receiver.receive(13), 'one two three')
      await roundTripMs(both)
    },
  ),
  ...inBothDirections(
    'slow',
    (direction) => `slow ${direction} by two faults: their delays add up, and go one by one`,
    async (bench, direction) => {
      const { link, connect } = await bench.link()
      const both = await connect()
      const one = [ends(both, direction)]
      await link.slow(longMs)
      await link.slow(longMs)
      await takes(2 * longMs, bench, one)
      await link.slow(-longMs)
      await takes(longMs, bench, one)
      await link.slow(-longMs)
      assert.ok((await roundTripMs(both)) < longMs)
    },
  ),
]
