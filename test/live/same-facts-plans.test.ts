import { expect, it } from 'vitest'
import type { PlannedFault } from '../../src/contract/api/plan.ts'
import { sortFaults } from '../../src/live/host/live-faults.ts'
import { faults } from '../../src/run/faults/index.ts'
import { calm } from './lab.ts'
import { type NamedPlan, notCompared, plans, postgresPlans } from './same-facts-plans.ts'

const kindsIn = (named: readonly NamedPlan[]) =>
  new Set(named.flatMap(([, plan]) => (plan.faults ?? []).map(({ kind }) => kind)))

function isMadeOnOneServer(kind: string): boolean {
  const fault = { kind, when: { at: 'time', ms: 0 } } as unknown as PlannedFault
  const where = { shape: 'single', refuses: () => null, forgets: true, longestMs: 1000 } as const
  return sortFaults({ ...calm, faults: [fault] }, where).notMade.length === 0
}

function kindsWithoutPlan(named: readonly NamedPlan[]): string[] {
  const planned = kindsIn(named)
  return [...faults.keys()].filter((kind) => isMadeOnOneServer(kind) && !planned.has(kind) && !(kind in notCompared))
}

it('has a plan for each kind of fault that one real server allows', () => {
  const all = [...plans, ...postgresPlans]
  expect(kindsWithoutPlan(all), 'add a plan to test/live/same-facts-plans.ts').toEqual([])
  expect(kindsWithoutPlan(all.filter(([name]) => name !== 'a slow effect'))).toEqual(['slow-effect'])
})

it('has a reason only for kinds without a plan', () => {
  const planned = kindsIn([...plans, ...postgresPlans])
  expect(Object.keys(notCompared).filter((kind) => planned.has(kind) || !faults.has(kind))).toEqual([])
})
