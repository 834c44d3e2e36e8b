import { describe, expect, it } from 'vitest'
import onlyPauses from '../../../scenarios/only-pauses.ts'
import slowLockHolder from '../../../scenarios/slow-lock-holder.ts'
import { unusable } from '../../../src/campaign/play/unusable.ts'
import { createDeps } from '../../../src/cli/create-deps.ts'
import { selectPairs } from '../../../src/cli/select.ts'

const onCluster = { id: 'cluster-failover', shape: 'cluster' } as const

describe('a scenario on a Cluster', () => {
  it('is left out, by name, for a layer that does not say that it can follow one', () => {
    const why = unusable({ id: '001-get-set' }, onCluster)
    expect(why).toContain('001-get-set × cluster-failover: skipped')
    expect(why).toContain('a Redis Cluster')
  })

  it('is run with a layer that says so', () => {
    expect(unusable({ id: 'mine', shapes: ['cluster'] }, onCluster)).toBeNull()
    expect(unusable({ id: 'mine', shapes: ['cluster'] }, { id: 'crash', shape: 'single' })).not.toBeNull()
  })
})

it('one server, and one behind Sentinels, are for everybody', () => {
  for (const shape of ['single', 'sentinel'] as const) expect(unusable({ id: 'any' }, { id: 'some', shape })).toBeNull()
})

it('a scenario about Redis says what stops an attempt on another store', () => {
  const layer = { id: 'mine', stores: ['postgres'] } as const
  const why = (elsewhere?: string) => unusable(layer, { id: 'slow', shape: 'single', ...(elsewhere && { elsewhere }) })
  expect(why()).toMatch(/tests Redis, but mine keeps its records in PostgreSQL$/)
  expect(why('only-pauses does')).toBe(`${why()}: only-pauses does`)
  expect(slowLockHolder.elsewhere).toContain(onlyPauses.id)
  expect(onlyPauses.stores).toEqual(expect.arrayContaining(['postgres', 'dynamodb']))
})

it('scenarios that say nothing about a layer are named in one line for each reason', async () => {
  const reported: string[] = []
  const wanted = {
    implementations: ['001-get-set'],
    sink: 'plain' as const,
    scenarios: ['only-pauses', 'postgres-crash', 'cluster-failover', 'postgres-failover'],
  }
  const pairs = await selectPairs(
    wanted,
    [],
    createDeps(() => false),
    (why) => reported.push(why),
  )
  expect(pairs.map(({ scenarioName }) => scenarioName)).toEqual(['only-pauses'])
  expect(reported).toEqual([
    '001-get-set × postgres-crash, postgres-failover: skipped, tests PostgreSQL, but 001-get-set keeps its records in Redis',
    expect.stringMatching(/^001-get-set × cluster-failover: skipped, requires a Redis Cluster/),
  ])
})

it('a layer that does not say what it does with messages without a key is not played with them', () => {
  const keyless = { id: 'without', shape: 'single', keyless: true } as const
  expect(unusable({ id: 'mine' }, keyless)).toMatch(/skipped, has messages without a key.*`withoutKey`/)
  expect(unusable({ id: 'mine', withoutKey: 'performs' }, keyless)).toBeNull()
  expect(unusable({ id: 'mine' }, { id: 'with', shape: 'single' })).toBeNull()
})
