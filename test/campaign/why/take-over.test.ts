/** A claim contains a time, which another attempt compares with its own clock. */
import { epochMs } from 'virtual-node/kernel'
import { describe, expect, it } from 'vitest'
import { moralOf } from '../../../src/check/remedies.ts'
import type { RunHeader } from '../../../src/contract/api/history.ts'
import { story } from './story.ts'

const leaseMs = 5_000
const time = (ms: number) => String(epochMs + ms)

interface Taken {
  readonly atMs: number
  /** How far the clock of the taker is ahead. */
  readonly aheadMs?: number
  readonly finds?: string
  readonly dies?: boolean
  readonly commands?: readonly [claim: string, look: string, over: string]
}

const strings = ['SETNX lock:k1 @', 'GET lock:k1', 'GETSET lock:k1 @'] as const

function taken({ atMs, aheadMs = 0, finds = time(leaseMs), dies = false, commands = strings }: Taken) {
  const faults = [{ kind: 'clock-step', machine: 1, byMs: aheadMs, when: { at: 'time', ms: 0 } }]
  const plan = { faults } as unknown as RunHeader['plan']
  const { history, command, why } = story({ leaseMs, plan })
  history.publish('m1')
  if (aheadMs !== 0) history.strike('clock-step')
  history.deliver(1, 'm1', 'consumer-1')
  command('consumer-1', commands[0].replace('@', time(leaseMs)), 1)
  history.send(1, 1).apply(1)
  if (dies) history.crash('consumer-1')
  history.at(atMs).deliver(2, 'm1', 'consumer-2', 2)
  command('consumer-2', commands[1], finds)
  command('consumer-2', commands[2].replace('@', time(atMs + aheadMs + leaseMs)), finds)
  history.send(2, 2).apply(2)
  return why(dies ? 'repeat-after-crash' : 'duplicate')
}

const took =
  'the next attempt considered the claim expired by its stored time (GET), and overwrote it (GETSET) while its holder was still at work'

describe('a claim that is taken over by the time in it', () => {
  it('had ended while its holder was working, whatever the clocks say', () => {
    expect(taken({ atMs: 6_000 })).toBe(took)
    expect(taken({ atMs: 6_000, aheadMs: 60_000 })).toBe(took)
  })

  it('had not ended by the clock that wrote the time: the cause names both clocks', () => {
    const apart = `${took}: the clock of consumer-1 had written that time, and the clock of consumer-2, which read it, was 1 min ahead of it`
    expect(taken({ atMs: 1_000, aheadMs: 60_000 })).toBe(apart)
    expect(moralOf('duplicate', null, apart)).toMatch(/^Let Redis's clock decide whether a claim is over/)
    expect(moralOf('duplicate', null, took)).toBe(moralOf('zombie'))
  })

  it('may be a member of a sorted set or a field of a hash', () => {
    const sorted = ['ZADD leases NX @ k1', 'ZSCORE leases k1', 'ZADD leases @ k1'] as const
    expect(taken({ atMs: 6_000, commands: sorted })).toContain('by its stored time (ZSCORE), and overwrote it (ZADD)')
    const hash = ['HSETNX leases k1 @', 'HGET leases k1', 'HSET leases k1 @'] as const
    expect(taken({ atMs: 6_000, commands: hash })).toContain('by its stored time (HGET), and overwrote it (HSET)')
  })

  it('may belong to a process that has died', () => {
    expect(taken({ atMs: 6_000, dies: true })).toBe(
      'the process died after it had sent the effect and before it had recorded it; the next attempt considered the claim expired by its stored time (GET), and overwrote it (GETSET)',
    )
  })

  it('is not reported if the read returned another text than the time in the claim', () => {
    expect(taken({ atMs: 6_000, finds: 'taken' })).not.toContain('considered the claim expired')
    expect(taken({ atMs: 6_000, finds: time(1_234) })).not.toContain('considered the claim expired')
  })
})
