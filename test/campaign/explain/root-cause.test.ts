import { describe, expect, it } from 'vitest'
import { likelyFirst, type Rooted, rootOf } from '../../../src/campaign/explain/root-cause.ts'
import { rankedFaults, triggerRank } from '../../../src/campaign/explain/trigger-rank.ts'
import type { InvariantName } from '../../../src/contract/api/verdict.ts'
import { faults } from '../../../src/run/faults/index.ts'

interface Broken {
  readonly kind?: string
  readonly invariant?: InvariantName
  readonly needs?: readonly string[]
  readonly runs?: number
  readonly acceptable?: Rooted['acceptable']
  readonly why?: string
  readonly sinkForgot?: true
}

const broken = ({ kind = 'duplicate', invariant = 'at-most-once', needs = [], why = '', ...more }: Broken) => {
  const { runs = 1, acceptable, sinkForgot } = more
  const cause = { invariant, kind, path: [], decidedBy: null, needs, ...(sinkForgot && { sinkForgot }) }
  return { cause, why, runs, ...(acceptable && { acceptable }) }
}

const nameOf = (one: Broken) => rootOf(broken(one)).name

describe('the root cause of a violation', () => {
  it('is the same for each claim left behind, however the message is lost', () => {
    const why = 'an attempt died and left its claim behind: it turned later ones away'
    expect(nameOf({ invariant: 'no-lost-message', kind: 'given-up', why })).toBe('claim-left-behind')
    expect(nameOf({ invariant: 'bounded-stall', kind: 'retry-goes-on', why })).toBe('claim-left-behind')
    expect(nameOf({ invariant: 'bounded-stall', kind: 'retry-goes-on' })).toBe('put-off')
  })

  it('is the same for all losses of the store, and differs for an expired record', () => {
    const lost = ['eviction', 'flush', 'restart', 'failover', 'split-brain']
    expect(new Set(lost.map((one) => nameOf({ kind: `repeat-after-loss:${one}` })))).toEqual(new Set(['store-loss']))
    expect(nameOf({ kind: 'repeat-after-loss:expiry' })).toBe('record-ended')
    expect(lost.map((one) => rootOf(broken({ kind: `repeat-after-loss:${one}` })).assumes)).toEqual([
      ...['redis-data-loss', 'redis-data-loss', 'redis-data-loss'],
      ...['asynchronous-failover', 'asynchronous-failover'],
    ])
  })

  it('is an assumption if a risk explains the violation', () => {
    expect(rootOf(broken({ acceptable: ['copies-after-retention'] }))).toMatchObject({
      name: 'copies-after-retention',
      assumes: 'copies-after-retention',
    })
    expect(nameOf({ acceptable: ['asynchronous-failover'] })).toBe('store-loss')
    expect(nameOf({ kind: 'repeat-after-crash', sinkForgot: true })).toBe('sink-forgets')
    expect(rootOf(broken({ kind: 'zombie' }))).not.toHaveProperty('assumes')
  })

  it('is a change of the layer if a late copy looks young by a produced-at time in the future', () => {
    const why =
      'the record expired after 20 s, and a message was performed again: its produced-at time, 74 s ahead, made it younger than the retention of 10 s'
    const ahead = rootOf(broken({ kind: 'repeat-after-loss:expiry', acceptable: ['copies-after-retention'], why }))
    expect(ahead).toMatchObject({ name: 'produced-ahead', fix: expect.stringContaining('produced-at time is ahead') })
    expect(ahead).not.toHaveProperty('assumes')
  })

  it('differs for a clock of Redis that jumps back, which can still be accepted', () => {
    const put = {
      invariant: 'bounded-stall',
      kind: 'retry-goes-on',
      acceptable: ['clock-steps-beyond-1-minute'],
    } as const
    const held = 'the last attempt answered retry, after the script acquire had answered held'
    expect(nameOf({ ...put, why: held })).toBe('clock-steps')
    expect(
      rootOf(broken({ ...put, why: `${held}; the clock of Redis had jumped back by 1000 s meanwhile` })),
    ).toMatchObject({
      name: 'clock-back',
      fix: expect.stringContaining('negative'),
      assumes: 'clock-steps-beyond-1-minute',
    })
  })

  it('is named by invariant and kind if there is no remedy', () => {
    expect(rootOf(broken({ invariant: 'own:late', kind: 'late' }))).toEqual({
      name: 'own:late late',
      title: 'own:late: late',
      fix: null,
    })
  })
})

describe('the order of root causes', () => {
  const order = (...named: (readonly [name: string, ...members: Broken[]])[]) =>
    named
      .map(([name, ...members]) => ({ name, members: members.map(broken) }))
      .sort(likelyFirst)
      .map(({ name }) => name)

  it('is by severity first', () => {
    const stall = { invariant: 'bounded-stall', kind: 'retry-goes-on', runs: 99 } as const
    expect(order(['stall', stall], ['twice', { needs: ['late-copy'] }])).toEqual(['twice', 'stall'])
  })

  it('is by how ordinary the faults are, then by runs', () => {
    const rare = { needs: ['clock-step'], runs: 99 }
    expect(order(['rare', rare], ['pause', { needs: ['pause'] }], ['none', {}])).toEqual(['none', 'pause', 'rare'])
  })

  it('uses the most ordinary faults of a root cause', () => {
    expect(order(['crash', { needs: ['crash'] }], ['several', { needs: ['late-copy'] }, {}])).toEqual([
      'several',
      'crash',
    ])
  })

  it('is by runs among equals', () => {
    expect(order(['few', { runs: 2 }], ['many', { runs: 3 }, { runs: 1 }])).toEqual(['many', 'few'])
  })

  it('puts assumptions last', () => {
    const assumed = { acceptable: ['redis-data-loss'], runs: 99 } as const
    const slight = { invariant: 'no-immortal-keys', kind: 'grows-with-messages' } as const
    expect(order(['assumed', assumed], ['slight', slight])).toEqual(['slight', 'assumed'])
    expect(order(['assumed', assumed], ['mixed', assumed, slight])).toEqual(['mixed', 'assumed'])
  })
})

describe('the rank of faults', () => {
  it('exists for exactly the kinds of faults', () => {
    const missing = [...faults.keys()].filter((kind) => !rankedFaults.includes(kind))
    expect(missing, 'add a rank to src/campaign/explain/trigger-rank.ts').toEqual([])
    expect(rankedFaults.filter((kind) => !faults.has(kind))).toEqual([])
  })

  it('is that of the rarest of several', () => {
    expect(triggerRank([])).toBe(0)
    expect(triggerRank(['crash', 'late-copy', 'pause'])).toBe(triggerRank(['late-copy']))
    expect(triggerRank(['crash', 'no such fault'])).toBeGreaterThan(triggerRank(['late-copy']))
  })
})
