/**
 * How a campaign, and everything else that loads a pair, treats the stores of its layer and its
 * scenario.
 */
import { describe, expect, it } from 'vitest'
import { runCampaign } from '../../src/campaign/conduct/campaign.ts'
import type { PairChoice } from '../../src/campaign/play/campaign-request.ts'
import { loadPair } from '../../src/campaign/play/load-pair.ts'
import type { CampaignDeps } from '../../src/campaign/types.ts'
import type { StoreKind } from '../../src/contract/api/store.ts'
import { fakeBench, fakeContext } from './fake-deps.ts'

type Stores = readonly StoreKind[] | undefined

/** A sound layer on the stores `ofLayer`, and a scenario about `ofScenario` that checks it. */
function bench(ofLayer: Stores, ofScenario: Stores): CampaignDeps {
  const deps = fakeBench({ sound: true })
  return {
    ...deps,
    loadScenario: async (file) => ({
      ...(await deps.loadScenario(file)),
      ...(ofScenario && { stores: ofScenario }),
      invariants: ['at-most-once', 'no-immortal-keys'],
    }),
    loadImplementation: async (file) => {
      const loaded = await deps.loadImplementation(file)
      return { ...loaded, implementation: { ...loaded.implementation, ...(ofLayer && { stores: ofLayer }) } }
    },
  }
}

const choice: PairChoice = {
  ...{ scenarioPath: 's', scenarioName: 'fake-crash', implementationPath: 'layer', implementationName: 'layer' },
  ...{ sink: 'plain', corpus: [], runMs: 1 },
}

const play = (deps: CampaignDeps) =>
  runCampaign(
    {
      pairs: [{ choice, bound: { runs: 20 } }],
      ...{ control: null, layers: 'must-hold', seed: 1, bail: false, cheaper: [], reports: 'reports' },
      explain: { layer: 100_000, path: 10_000, checks: 20_000 },
    },
    fakeContext(deps),
  )

describe('no-immortal-keys, which counts keys of Redis,', () => {
  const all: Stores = ['redis', 'postgres', 'dynamodb']

  it.each<[Stores, string]>([
    [['postgres'], 'PostgreSQL'],
    [['dynamodb'], 'DynamoDB'],
    [['postgres', 'dynamodb'], 'PostgreSQL and DynamoDB'],
  ])('is not checked for a layer on %s', async (stores, named) => {
    const { pairs } = await play(bench(stores, all))
    expect(pairs[0]!.invariants).toEqual({
      'at-most-once': { verdict: 'valid', runsViolated: 0 },
      'no-immortal-keys': {
        verdict: 'n/a',
        runsViolated: 0,
        reason: `counts keys of Redis, but the layer keeps its records in ${named}`,
      },
    })
  })

  it.each<[Stores]>([[undefined], [['redis']], [['redis', 'postgres']]])(
    'is checked for a layer on %s',
    async (stores) => {
      const { pairs } = await play(bench(stores, all))
      expect(pairs[0]!.invariants['no-immortal-keys']).toEqual({ verdict: 'valid', runsViolated: 0 })
    },
  )
})

describe('a pair whose layer uses none of the stores of its scenario', () => {
  const apart = bench(['postgres'], undefined)

  it('is not loaded under any name', async () => {
    await expect(loadPair(choice, apart)).rejects.toMatchObject({
      name: 'LoadError',
      kind: 'unusable',
      message:
        'layer × fake-crash: skipped, tests Redis, but layer keeps its records in PostgreSQL; name a scenario for its store',
    })
    await expect(loadPair(choice, bench(undefined, ['postgres']))).rejects.toThrow('tests PostgreSQL')
    await expect(play(apart)).rejects.toThrow('skipped, tests Redis')
  })

  it('is loaded if they share a store', async () => {
    await expect(loadPair(choice, bench(['postgres'], ['redis', 'postgres']))).resolves.toHaveProperty('scenario')
    await expect(loadPair(choice, bench(undefined, undefined))).resolves.toHaveProperty('scenario')
  })
})
