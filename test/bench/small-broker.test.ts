import { expect, test } from 'vitest'
import { playRun } from '../../bench/contenders/small-broker.ts'
import type { LayerClient } from '../../bench/handler.ts'
import { problemOf } from '../../bench/workload.ts'

/** The two scripts, in memory, with a manual clock. */
function fakeRedis(clock: { nowMs: number }): LayerClient {
  const results = new Map<string, string>()
  const leases = new Map<string, { owner: string; untilMs: number }>()
  const holder = (lease: string) => {
    const held = leases.get(lease)
    return held !== undefined && held.untilMs > clock.nowMs ? held.owner : null
  }
  return {
    defineCommand() {},
    async acquire(result, lease, owner, leaseMs) {
      const stored = results.get(result)
      if (stored !== undefined) return ['done', stored]
      if (holder(lease) !== null) return ['busy']
      leases.set(lease, { owner, untilMs: clock.nowMs + leaseMs })
      return ['acquired']
    },
    async complete(result, lease, owner, value) {
      if (holder(lease) !== owner) return 0
      results.set(result, value)
      leases.delete(lease)
      return 1
    },
  }
}

function play(waits: boolean) {
  const clock = { nowMs: 0 }
  let rounds = 0
  return playRun([fakeRedis(clock)], {
    leaseMs: 15,
    prefix: 'run-1:',
    send: (command) => command(),
    async pause(untilLeaseEnds) {
      if (++rounds > 20) throw new Error('nothing moves any more')
      if (untilLeaseEnds && waits) clock.nowMs += 15
    },
  })
}

test('a crashed consumer leaves its messages to the others, which end with one effect per key', async () => {
  expect(problemOf(await play(true))).toBeNull()
})

test('the messages of a crashed consumer stay held until its lease has expired', async () => {
  await expect(play(false)).rejects.toThrow('nothing moves any more')
})
