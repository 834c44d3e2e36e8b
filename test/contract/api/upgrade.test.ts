import { describe, expect, it } from 'vitest'
import type { CreateContext, DeadLetterReasons, Implementation } from '../../../src/contract/api/implementation.ts'
import { defineUpgrade } from '../../../src/contract/api/upgrade.ts'

const created: string[] = []
const version = (id: string, more: Partial<Implementation> = {}): Implementation => ({
  id,
  create: ({ instanceId }) => {
    created.push(`${instanceId}: ${id}`)
    return { handle: async () => ({ status: 'retry', reason: '' }) }
  },
  ...more,
})
const start = (upgrade: Implementation, instanceId: string) => upgrade.create({ instanceId } as CreateContext)

describe('a rolling upgrade', () => {
  it('starts half of the consumers upgraded, and upgrades the others when they restart', () => {
    const upgrade = defineUpgrade({ id: 'x', from: version('old'), to: version('new') })
    for (const name of ['consumer-1', 'consumer-2', 'consumer-3', 'consumer-1.2', 'consumer-2.2', 'consumer-12'])
      start(upgrade, name)
    expect(created.splice(0)).toEqual([
      'consumer-1: old',
      'consumer-2: new',
      'consumer-3: old',
      'consumer-1.2: new',
      'consumer-2.2: new',
      'consumer-12: new',
    ])
    expect(() => start(upgrade, 'operator')).toThrow('operator is not the name of a consumer')
  })

  it('can use the features that both versions have, and is deployed like the first one', async () => {
    const deployed: string[] = []
    const from = version('old', {
      sinks: ['plain', 'keyed'],
      leavesNoDoubtOn: ['plain', 'keyed'],
      shapes: ['single', 'cluster'],
      lacks: ['dead-lettering'],
      has: ['pipeline', 'command-timeout'],
      recoveryBoundMs: 10,
      deploy: () => void deployed.push('old'),
    })
    const to = version('new', {
      sinks: ['keyed', 'fenced'],
      leavesNoDoubtOn: ['keyed', 'fenced'],
      has: ['pipeline'],
      allow: ['fs-read'],
      recoveryBoundMs: 20,
      minLeaseMs: 5,
      deploy: () => void deployed.push('new'),
    })
    const upgrade = defineUpgrade({ id: 'x', about: 'y', expect: 'holds', from, to })
    expect(upgrade).toMatchObject({
      id: 'x',
      about: 'y',
      expect: 'holds',
      sinks: ['keyed'],
      shapes: ['single'],
      lacks: ['dead-lettering'],
      has: ['pipeline'],
      allow: ['fs-read'],
      recoveryBoundMs: 20,
      minLeaseMs: 5,
      waitsForReplicas: false,
      leavesNoDoubtOn: ['keyed'],
    })
    expect(upgrade).not.toHaveProperty('maxClockSkewMs')
    const serially = { ...from, serial: true as const }
    expect(defineUpgrade({ id: 'x', from: serially, to: serially })).toHaveProperty('serial', true)
    expect(defineUpgrade({ id: 'x', from: serially, to })).not.toHaveProperty('serial')
    const partitioned = { ...from, broker: 'partitions' as const }
    expect(defineUpgrade({ id: 'x', from: partitioned, to: partitioned })).toHaveProperty('broker', 'partitions')
    expect(defineUpgrade({ id: 'x', from: partitioned, to })).not.toHaveProperty('broker')
    const refuses = { ...from, withoutKey: 'refuses' as const }
    expect(defineUpgrade({ id: 'x', from: refuses, to: refuses })).toHaveProperty('withoutKey', 'refuses')
    const performs = { ...to, withoutKey: 'performs' as const }
    expect(defineUpgrade({ id: 'x', from: refuses, to: performs })).not.toHaveProperty('withoutKey')
    const binds = { bindsProducedAt: true, maxClockSkewMs: 500 } as const
    const bears = defineUpgrade({
      id: 'x',
      from: { ...from, ...binds },
      to: { ...to, ...binds, maxClockSkewMs: 300 },
    })
    expect(bears).toMatchObject({ bindsProducedAt: true, maxClockSkewMs: 300 })
    const calls = (...[first, second]: (number | undefined)[]) => {
      const declares = (ms: number | undefined) => (ms === undefined ? {} : { answersWithinMs: ms })
      return defineUpgrade({ id: 'x', from: { ...from, ...declares(first) }, to: { ...to, ...declares(second) } })
    }
    expect(calls(20, 30)).toMatchObject({ answersWithinMs: 30 })
    expect(calls(20)).not.toHaveProperty('answersWithinMs')
    const failed = { reason: 'failed: 3 attempts', attempts: 3 }
    const deadLettering = (...[first, second]: DeadLetterReasons[]) =>
      defineUpgrade({
        id: 'x',
        from: { ...from, deadLetterReasons: first! },
        to: { ...to, deadLetterReasons: second! },
      })
    expect(
      deadLettering({ failed, vanished: 'gone' }, { failed: { ...failed }, vanished: 'lost' }).deadLetterReasons,
    ).toEqual({
      failed,
    })
    expect(deadLettering({ failed }, { failed: { ...failed, attempts: 4 } })).not.toHaveProperty('deadLetterReasons')
    const counts = { ...failed, retry: 'no luck' }
    expect(deadLettering({ failed: counts }, { failed: counts }).deadLetterReasons).toEqual({ failed: counts })
    for (const both of [[counts, failed] as const, [failed, counts] as const])
      expect(deadLettering({ failed: both[0] }, { failed: both[1] }).deadLetterReasons).toEqual({ failed })
    await upgrade.deploy!({ redis: {} as CreateContext['redis'] })
    expect(deployed).toEqual(['old'])
    expect(defineUpgrade({ id: 'x', from: version('old'), to: version('new') })).not.toHaveProperty('deploy')
  })
})
