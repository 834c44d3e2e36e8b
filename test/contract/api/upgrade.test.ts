import { describe, expect, it } from 'vitest'
import type { CreateContext, Implementation, ParkReasons } from '../../../src/contract/api/implementation.ts'
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
  it('has half of the consumers upgraded, and the others when they start again', () => {
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
    expect(() => start(upgrade, 'operator')).toThrow('operator is no name of a consumer')
  })

  it('can use what both versions can, and is deployed as the first one', async () => {
    const deployed: string[] = []
    const from = version('old', {
      sinks: ['plain', 'keyed'],
      leavesNoDoubtOn: ['plain', 'keyed'],
      shapes: ['single', 'cluster'],
      lacks: ['parking'],
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
      lacks: ['parking'],
      has: ['pipeline'],
      allow: ['fs-read'],
      recoveryBoundMs: 20,
      minLeaseMs: 5,
      waitsForReplicas: false,
      leavesNoDoubtOn: ['keyed'],
    })
    expect(upgrade).not.toHaveProperty('maxClockSkewMs')
    const births = { bindsBirths: true, maxClockSkewMs: 500 } as const
    const bears = defineUpgrade({
      id: 'x',
      from: { ...from, ...births },
      to: { ...to, ...births, maxClockSkewMs: 300 },
    })
    expect(bears).toMatchObject({ bindsBirths: true, maxClockSkewMs: 300 })
    const calls = (...[first, second]: (number | undefined)[]) => {
      const declares = (ms: number | undefined) => (ms === undefined ? {} : { answersWithinMs: ms })
      return defineUpgrade({ id: 'x', from: { ...from, ...declares(first) }, to: { ...to, ...declares(second) } })
    }
    expect(calls(20, 30)).toMatchObject({ answersWithinMs: 30 })
    expect(calls(20)).not.toHaveProperty('answersWithinMs')
    const failed = { reason: 'failed: 3 attempts', attempts: 3 }
    const parking = (...[first, second]: ParkReasons[]) =>
      defineUpgrade({ id: 'x', from: { ...from, parkReasons: first! }, to: { ...to, parkReasons: second! } })
    expect(parking({ failed, vanished: 'gone' }, { failed: { ...failed }, vanished: 'lost' }).parkReasons).toEqual({
      failed,
    })
    expect(parking({ failed }, { failed: { ...failed, attempts: 4 } })).not.toHaveProperty('parkReasons')
    const counts = { ...failed, retry: 'no luck' }
    expect(parking({ failed: counts }, { failed: counts }).parkReasons).toEqual({ failed: counts })
    for (const both of [[counts, failed] as const, [failed, counts] as const])
      expect(parking({ failed: both[0] }, { failed: both[1] }).parkReasons).toEqual({ failed })
    await upgrade.deploy!({ redis: {} as CreateContext['redis'] })
    expect(deployed).toEqual(['old'])
    expect(defineUpgrade({ id: 'x', from: version('old'), to: version('new') })).not.toHaveProperty('deploy')
  })
})
