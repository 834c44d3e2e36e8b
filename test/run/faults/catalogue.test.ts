import fs from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { boundaries, type PlannedFault } from '../../../src/contract/api/plan.ts'
import type { Fault } from '../../../src/run/faults/fault.ts'
import { faults } from '../../../src/run/faults/index.ts'
import { plansOf } from '../../../src/sim/plans/workload.ts'

const scope = { consumers: 3, spanMs: 800 }
const sample = (kind: string) => fc.sample(faults.get(kind)!.draw(scope), { numRuns: 100, seed: 1 })
const folder = path.join(import.meta.dirname, '../../../src/run/faults')

describe('the catalogue', () => {
  it('has every file with a fault of its folder', () => {
    const notFaults = new Set(['connection-fault.ts', 'fault.ts', 'index.ts', 'machine.ts', 'server-fault.ts'])
    const files = fs.readdirSync(folder).filter((name) => !notFaults.has(name))
    expect(files.map((name) => path.basename(name, '.ts')).sort()).toEqual([...faults.keys()].sort())
  })

  it('has a test by name for every kind', () => {
    const texts = fs
      .readdirSync(import.meta.dirname)
      .map((name) => fs.readFileSync(path.join(import.meta.dirname, name), 'utf8'))
    const untested = [...faults.keys()].filter(
      (kind) => !texts.some((text) => text.includes(`describe('${kind}'`) || text.includes(`['${kind}', {`)),
    )
    expect(untested, "describe('<kind>' in a file of test/run/faults").toEqual([])
  })

  it('declares which kinds delay which commands', () => {
    const kindsThatDelay = (whose: Fault['delays']) =>
      [...faults.values()].flatMap(({ kind, delays }) => (delays === whose ? [kind] : [])).sort()
    expect(kindsThatDelay('all')).toEqual([
      'connection-limit',
      'dns-failure',
      'dynamodb-throttled',
      'machine-cut-off',
      'machine-forgotten',
      'machine-restart',
      'postgres-connections',
      'postgres-failover',
      'postgres-restart',
      'redis-busy',
      'redis-loading',
      'redis-out-of-memory',
      'redis-restart',
      'slow-dynamodb',
      'slow-postgres',
      'slow-redis',
    ])
    expect(kindsThatDelay('its links')).toEqual([
      'connection-reset',
      'dynamodb-error',
      'error-reply',
      'partition',
      'slow-link',
    ])
  })

  it('requires each fault to declare what it delays', () => {
    const { delays: _, ...silent } = faults.get('slow-redis')!
    // @ts-expect-error: the type check refuses a fault that does not declare it.
    const refused: Fault = silent
    expect(refused).not.toHaveProperty('delays')
  })
})

describe.each([...faults.keys()])('%s', (kind) => {
  it('draws plans in JSON, with its own kind and a trigger within the scope', () => {
    for (const fault of sample(kind)) {
      expect(JSON.parse(JSON.stringify(fault))).toEqual(fault)
      expect(fault.kind).toBe(kind)
      const { when } = fault
      if (when.at === 'time') expect(when.ms >= 0 && when.ms <= scope.spanMs).toBe(true)
      else {
        expect(boundaries).toContain(when.at)
        expect(when.consumer >= 0 && when.consumer < scope.consumers && when.nth >= 1).toBe(true)
      }
    }
  })

  it('shrinks to an earlier or shorter one', () => {
    const weight = ({ when, healAfterMs = 0, near: _, kind: __, ...rest }: PlannedFault): number => {
      const numbers = Object.values(rest).filter((value) => typeof value === 'number')
      return (
        (when.at === 'time' ? when.ms : when.nth + when.consumer) +
        healAfterMs +
        numbers.reduce((sum, n) => sum + Math.abs(n), 0)
      )
    }
    const whole = fc.check(
      fc.property(faults.get(kind)!.draw(scope), () => false),
      { seed: 3, endOnFailure: false },
    )
    const [smallest] = whole.counterexample as [PlannedFault]
    expect(weight(smallest)).toBeLessThanOrEqual(Math.min(...sample(kind).map(weight)) + 4)
  })

  it('describes itself in one sentence', () => {
    expect(faults.get(kind)!.about).toMatch(/^[a-z].*[^.]$/)
  })
})

describe('plans of a workload', () => {
  const drawn = (kinds: readonly string[], more = {}) =>
    fc.sample(plansOf({ faults: kinds, maxFaults: 8, ...more }), { numRuns: 200, seed: 5 })

  it('are JSON, with only the requested kinds of faults', () => {
    for (const plan of drawn(['pause', 'crash'])) {
      expect(JSON.parse(JSON.stringify(plan))).toEqual(plan)
      for (const { kind } of plan.faults) expect(['pause', 'crash']).toContain(kind)
    }
  })

  it('have durations near the limits of the layer, if the fault has a duration', () => {
    const nearOnes = (kind: string) =>
      drawn([kind])
        .flatMap(({ faults }) => faults)
        .filter(({ near }) => near !== undefined)
    expect(nearOnes('pause').length).toBeGreaterThan(100)
    expect(nearOnes('slow-effect').length).toBeGreaterThan(100)
    expect(nearOnes('lost-reply')).toEqual([])
    expect(nearOnes('redelivery')).toEqual([])
  })

  it('have fewer kinds each in a swarm, and all kinds together', () => {
    const kinds = ['pause', 'crash', 'partition', 'lost-reply']
    const perPlan = (plans: { faults: readonly PlannedFault[] }[]) =>
      plans.map(({ faults }) => new Set(faults.map(({ kind }) => kind)).size).filter((size) => size > 0)
    const mean = (numbers: number[]) => numbers.reduce((sum, n) => sum + n, 0) / numbers.length
    const swarm = drawn(kinds, { swarm: true })
    expect(mean(perPlan(swarm))).toBeLessThan(mean(perPlan(drawn(kinds))))
    expect(new Set(swarm.flatMap(({ faults }) => faults.map(({ kind }) => kind))).size).toBe(kinds.length)
  })

  it('are refused for an unknown kind', () => {
    expect(() => plansOf({ faults: ['flood'] })).toThrow('unknown fault "flood"; known: crash, pause')
  })
})
