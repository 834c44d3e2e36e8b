import { describe, expect, it } from 'vitest'
import onlyPauses from '../../../scenarios/only-pauses.ts'
import slowLockHolder from '../../../scenarios/slow-lock-holder.ts'
import { unusable } from '../../../src/campaign/play/unusable.ts'
import { createDeps } from '../../../src/cli/create-deps.ts'
import { selectPairs } from '../../../src/cli/select.ts'

const onCluster = { id: 'cluster-failover', shape: 'cluster' } as const

describe('a scenario on a Cluster', () => {
  it('is skipped with the reason for a layer that does not declare it', () => {
    const why = unusable({ id: '001-get-set' }, onCluster)
    expect(why).toContain('001-get-set × cluster-failover: skipped')
    expect(why).toContain('a Redis Cluster')
  })

  it('is played with a layer that declares it', () => {
    expect(unusable({ id: 'mine', shapes: ['cluster'] }, onCluster)).toBeNull()
    expect(unusable({ id: 'mine', shapes: ['cluster'] }, { id: 'crash', shape: 'single' })).not.toBeNull()
  })
})

it('every layer can use one server, with or without Sentinels', () => {
  for (const shape of ['single', 'sentinel'] as const) expect(unusable({ id: 'any' }, { id: 'some', shape })).toBeNull()
})

it('a scenario about Redis explains why it skips a layer on another store', () => {
  const layer = { id: 'mine', stores: ['postgres'] } as const
  const why = (elsewhere?: string) => unusable(layer, { id: 'slow', shape: 'single', ...(elsewhere && { elsewhere }) })
  expect(why()).toMatch(/tests Redis, but mine keeps its records in PostgreSQL$/)
  expect(why('only-pauses does')).toBe(`${why()}: only-pauses does`)
  expect(slowLockHolder.elsewhere).toContain(onlyPauses.id)
  expect(onlyPauses.stores).toEqual(expect.arrayContaining(['postgres', 'dynamodb']))
})

it('skipped scenarios are listed in one line for each reason', async () => {
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

it('a layer that does not declare how it treats messages without a key is not played with them', () => {
  const keyless = { id: 'without', shape: 'single', keyless: true } as const
  expect(unusable({ id: 'mine' }, keyless)).toMatch(/skipped, has messages without a key.*`withoutKey`/)
  expect(unusable({ id: 'mine', withoutKey: 'performs' }, keyless)).toBeNull()
  expect(unusable({ id: 'mine' }, { id: 'with', shape: 'single' })).toBeNull()
})
