import { describe, expect, it } from 'vitest'
import type { PlannedFault } from '../../../src/contract/api/plan.ts'
import { liveFaults, sortFaults } from '../../../src/live/host/live-faults.ts'
import { faults } from '../../../src/run/faults/index.ts'
import { calm } from '../lab.ts'

const planned = (kind: string, more: object = {}) =>
  ({ kind, when: { at: 'time', ms: 0 }, ...more }) as unknown as PlannedFault

const whyNot = (fault: PlannedFault) =>
  sortFaults({ ...calm, faults: [fault] }, { shape: 'single', refuses: () => null, forgets: true, longestMs: 1000 })
    .notMade[0]?.why

describe('kinds of faults in live runs', () => {
  it('are those of the catalogue: each is supported, or has a reason why not', () => {
    const missing = [...faults.keys()].filter((kind) => !(kind in liveFaults))
    expect(missing, 'add an entry to src/live/host/live-faults.ts').toEqual([])
    expect(Object.keys(liveFaults).filter((kind) => !faults.has(kind))).toEqual([])
    const reasons = [...faults.keys()].flatMap((kind) => (whyNot(planned(kind)) === undefined ? [] : [kind]))
    expect(reasons.sort()).toEqual([
      'dns-failure',
      'dynamodb-error',
      'dynamodb-throttled',
      'error-reply',
      'machine-added',
      'machine-cut-off',
      'machine-forgotten',
      'machine-restart',
      'postgres-failover',
      'redis-loading',
      'slow-dynamodb',
    ])
  })

  it('are refused with their name if they are unknown', () => {
    expect(whyNot(planned('meteorite'))).toContain('meteorite')
  })

  it('are refused if the server does not allow them, or if they outlast the run', () => {
    const why = (fault: PlannedFault, refuses = () => null as string | null) =>
      sortFaults({ ...calm, faults: [fault] }, { shape: 'single', refuses, forgets: true, longestMs: 1000 }).notMade[0]
        ?.why
    expect(why(planned('redis-flushed'), () => 'it is yours')).toBe('it is yours')
    expect(why(planned('crash'), () => 'it is yours')).toBeUndefined()
    expect(why(planned('clock-step', { machine: -1 }), () => 'it is yours')).toBe('it is yours')
    expect(why(planned('clock-step', { machine: 0 }), () => 'it is yours')).toBeUndefined()
    expect(why(planned('pause', { healAfterMs: 2000 }))).toBe('it lasts 2000 ms, but a live run at most 1000 ms')
  })

  it('are refused if the proxy does not support them', () => {
    const why = (forgets: boolean) =>
      sortFaults(
        { ...calm, faults: [planned('half-open')] },
        { shape: 'single', refuses: () => null, forgets, longestMs: 1000 },
      ).notMade[0]?.why
    expect(why(true)).toBeUndefined()
    expect(why(false)).toBe('Toxiproxy does not support half-open connections; use --proxy builtin')
  })

  it('on a Cluster are those that its nodes support', () => {
    const why = (fault: PlannedFault) =>
      sortFaults(
        { ...calm, faults: [fault] },
        { shape: 'cluster', refuses: () => null, forgets: true, longestMs: 1000 },
      ).notMade[0]?.why
    const made = [
      planned('redis-restart'),
      planned('slow-redis'),
      planned('machine-restart', { who: 'replica' }),
      planned('machine-cut-off', { who: 'replica', from: 'servers' }),
      planned('partition', { node: 'redis' }),
    ]
    expect(made.map(why)).toEqual(made.map(() => undefined))
    for (const kind of ['redis-flushed', 'eviction', 'redis-busy', 'connection-limit'])
      expect(why(planned(kind))).toBe('nodes of a Cluster can only be killed, stopped or cut off live')
  })

  it('on independent servers are those of a single server, without cuts between servers', () => {
    const why = (fault: PlannedFault) =>
      sortFaults(
        { ...calm, faults: [fault] },
        { shape: 'independent', refuses: () => null, forgets: true, longestMs: 1000 },
      ).notMade[0]?.why
    for (const kind of ['redis-restart', 'redis-flushed', 'slow-redis', 'eviction'])
      expect(why(planned(kind, { server: 3 }))).toBeUndefined()
    expect(why(planned('machine-cut-off', { who: 'primary', from: 'machines' }))).toBe(
      'independent servers have no connections to cut off',
    )
  })

  it('are refused on several servers if only a single one supports them', () => {
    const why = (fault: PlannedFault) =>
      sortFaults(
        { ...calm, faults: [fault] },
        { shape: 'sentinel', refuses: () => null, forgets: true, longestMs: 1000 },
      ).notMade[0]?.why
    expect(why(planned('redis-flushed'))).toBe('with several servers, only the primary can be killed or cut off live')
    expect(why(planned('redis-restart'))).toBeUndefined()
    expect(why(planned('machine-cut-off', { who: 'primary', from: 'machines' }))).toBeUndefined()
    expect(why(planned('crash'))).toBeUndefined()
  })
})
