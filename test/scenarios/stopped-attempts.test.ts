/** By default, an attempt is paused between two of its commands for longer than its lease. */
import { expect, test } from 'vitest'
import onlyPauses from '../../scenarios/only-pauses.ts'
import { drawRun } from '../../src/campaign/play/draw-run.ts'
import { noFalseDone } from '../../src/check/no-false-done.ts'
import { layer, play } from '../sim/world-lab.ts'

/**
 * Takes a place in a queue, and gives it back to begin. A missing place counts as finished work.
 */
const dropsWhatWaitedTooLong = () =>
  layer(async ({ key, payload }, redis, { leaseMs, sink }) => {
    await redis.set(`known:${key}`, '1')
    await redis.get(`known:${key}`)
    if ((await redis.set(`place:${key}`, '1', 'PX', leaseMs, 'NX')) === null)
      return { status: 'retry', reason: 'queued' }
    if ((await redis.del(`place:${key}`)) === 0) return { status: 'done', result: null, resultKept: false }
    return { status: 'done', result: (await sink.perform({ key, payload })) ?? null }
  })

async function isCaught(seed: number): Promise<boolean> {
  for (let run = 0; run < onlyPauses.minimumRuns!; run++) {
    const { value } = drawRun(onlyPauses, seed, run)
    const { history } = await play(dropsWhatWaitedTooLong(), { ...value.value, seed, record: false })
    if (noFalseDone.judge(history).verdict === 'violated') return true
  }
  return false
}

test.each([1, 2, 3, 4, 5])('only-pauses finds a claim that ends before its holder continues, seed %i', async (seed) => {
  expect(await isCaught(seed)).toBe(true)
})
