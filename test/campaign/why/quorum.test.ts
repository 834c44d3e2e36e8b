/** Redlock on five servers: what a majority is worth if one of them forgets. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import redlockOnFive from '../../../implementations/suggested/002-redlock-on-five.ts'
import { attributed } from '../../../src/campaign/causes/attributed.ts'
import { whyOf } from '../../../src/campaign/causes/why/why.ts'
import { judge } from '../../../src/check/index.ts'
import type { PlannedFault } from '../../../src/contract/api/plan.ts'
import { atFirst } from '../../../src/sim/plans/aim.ts'
import { independentRedis } from '../../../src/sim/plans/redis-plan.ts'
import { type Play, play } from '../../sim/world-lab.ts'

const five = fc.sample(independentRedis({ keeps: fc.constant('nothing') }), 1)[0]!
const message = (publishAtMs: number) => ({ key: 'order-1', payload: { order: 1 }, publishAtMs })

/** The violation and its cause; null if there is none. */
async function broke(faults: readonly PlannedFault[], more: Play = {}) {
  const played = await play(redlockOnFive, {
    seed: 3,
    consumers: 2,
    serial: true,
    redis: five,
    messages: [message(100), message(200)],
    leaseMs: 3000,
    visibilityMs: 60_000,
    effectMs: 300,
    effectTimeoutMs: 3_600_000,
    maxAttempts: 50,
    faults,
    ...more,
  })
  expect(played.unsupported).toEqual([])
  expect(played.unstruck).toEqual([])
  const [judged] = judge(played.history, ['at-most-once'])
  if (judged!.verdict.verdict !== 'violated') return null
  const [violation] = judged!.verdict.violations
  return { kind: violation!.kind, why: whyOf(attributed(played), violation!).why }
}

/** The holder reaches only redis-1, redis-2 and redis-3. */
const threeOnly = [4, 5].map((number) => cutOff(0, number, 5000))
const atWork = atFirst('effect-unapplied')
const gone: PlannedFault = { kind: 'redis-restart', server: 3, ...atWork }
const emptied: PlannedFault = { ...gone, healAfterMs: 10 }
const stepped: PlannedFault = { kind: 'clock-step', machine: -3, byMs: 10_000, ...atWork }

function cutOff(consumer: number, number: number, healAfterMs: number): PlannedFault {
  return { kind: 'partition', node: `redis-${number}`, way: 'both', consumer, when: { at: 'time', ms: 0 }, healAfterMs }
}

describe('Redlock on five servers', () => {
  it('holds without faults, and if one of the three granting servers is lost for good', async () => {
    expect(await broke([])).toBeNull()
    expect(await broke(threeOnly)).toBeNull()
    expect(await broke([...threeOnly, gone])).toBeNull()
  })

  const grantedAgain = 'and 3 of 5 servers (redis-3, redis-4, redis-5) then granted it to consumer-2, and 2 refused it'
  const held = 'consumer-1 held the lock on 3 of 5 servers (redis-1, redis-2, redis-3); '

  it('breaks if one of the three restarts without data', async () => {
    expect(await broke([...threeOnly, emptied])).toEqual({
      kind: 'repeat-after-loss:restart',
      why: `${held}redis-3 came back from its restart without it, ${grantedAgain}`,
    })
  })

  it('holds if it keeps its data, restarts after the lifetime of the lock, or all five had granted it', async () => {
    expect(await broke([...threeOnly, emptied], { redis: { ...five, keeps: 'aof-always' } })).toBeNull()
    expect(await broke([...threeOnly, { ...emptied, healAfterMs: 3500 }])).toBeNull()
    expect(await broke([emptied])).toBeNull()
  })

  it('breaks if the clock of one of the three jumps beyond the lock', async () => {
    expect(await broke([...threeOnly, stepped])).toEqual({
      kind: 'duplicate',
      why: `${held}the clock of redis-3 jumps 10 s forward, so that it expired there before its TTL of 3 s, ${grantedAgain}`,
    })
    expect(await broke([...threeOnly, { ...stepped, byMs: 1000 }])).toBeNull()
    expect(await broke([stepped])).toBeNull()
  })

  const late = 'the lock on all 5 servers, and it ended there while its holder stalled: '
  const paused: PlannedFault = { kind: 'pause', healAfterMs: 4000, ...atFirst('effect-unsent') }

  it('breaks if its holder is paused beyond the lock, whatever the servers do', async () => {
    const all = 'all 5 servers then granted it to consumer-2, and its holder performed after that anyway'
    expect(await broke([paused])).toEqual({ kind: 'zombie', why: `consumer-1 held ${late}${all}` })
    expect(await broke([{ ...paused, healAfterMs: 1000 }])).toBeNull()
  })

  it('does not blame a server that is gone for good', async () => {
    const four = '4 of 5 servers (redis-1, redis-2, redis-4, redis-5) then granted it to consumer-2'
    const found = await broke([paused, { ...gone, ...atFirst('effect-unsent') }])
    expect(found).toEqual({
      kind: 'zombie',
      why: `consumer-1 held ${late}${four}, and its holder performed after that anyway`,
    })
  })

  it('breaks if the server that both majorities share restarts without data', async () => {
    const faults = [
      ...threeOnly,
      ...[1, 2].map((number) => cutOff(1, number, 20_000)),
      { ...emptied, when: { at: 'time', ms: 1000 } } as const,
    ]
    const later = { messages: [message(100), message(2000)] }
    const onOther: PlannedFault = { kind: 'pause', consumer: 0, when: { at: 'time', ms: 1500 }, healAfterMs: 20_000 }
    expect(await broke([...faults, onOther], later)).toEqual({
      kind: 'repeat-after-loss:restart',
      why: 'the mark of consumer-1 was on 3 of 5 servers (redis-1, redis-2, redis-3); redis-3 came back from its restart without it, and 3 of 5 servers (redis-3, redis-4, redis-5) answered consumer-2 that they had no mark',
    })
    expect(await broke([...faults.slice(0, -1), onOther], later)).toBeNull()
  })
})
