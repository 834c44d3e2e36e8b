import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type ConfigurationSearchSubject,
  runConfigurationSearch,
} from '../../src/campaign/conduct/run-configuration-search.ts'
import { goals } from '../../src/campaign/goals/index.ts'
import { cellName, cellNames, cellScenario, isCellName } from '../../src/campaign/made/cell-scenario.ts'
import { configurations } from '../../src/campaign/made/configuration.ts'
import { losses } from '../../src/campaign/made/loss.ts'
import type { CampaignDeps } from '../../src/campaign/types.ts'
import type {
  ConfigurationSearchCell,
  ConfigurationSearchLayer,
} from '../../src/contract/results/configuration-search.ts'
import { crashScenario, fakeBench, fakeContext, type Misbehaviour } from './fake-deps.ts'

const subject = (name: string, more: Partial<ConfigurationSearchSubject> = {}): ConfigurationSearchSubject => ({
  implementationPath: name,
  implementationName: name,
  sink: 'plain',
  id: name,
  expect: 'holds',
  waitsForReplicas: false,
  shapes: ['single', 'sentinel', 'cluster'],
  runs: 20,
  ...more,
})

/**
 * The cells of a configuration search on the fake world. `breaks` selects the scenarios in which
 * the layer has its bug.
 */
function deps(how: Misbehaviour, breaks: (scenario: string) => boolean): CampaignDeps {
  const [sound, broken] = [fakeBench({ ...how, sound: true }), fakeBench(how)]
  return {
    ...sound,
    loadScenario: async (path) => ({ ...crashScenario(), id: path }),
    runWorld: (request) =>
      (breaks(request.scenario.id) || request.implementation.path === 'control' ? broken : sound).runWorld(request),
  }
}

function play(
  subjects: readonly ConfigurationSearchSubject[],
  breaks: (scenario: string) => boolean,
  how: Misbehaviour = {},
) {
  const work = deps(how, breaks)
  const context = fakeContext(work)
  const control = {
    scenarioPath: 'control',
    scenarioName: 'control',
    sink: 'plain' as const,
    corpus: [],
    runMs: 1,
    implementationPath: 'control',
    implementationName: 'control',
  }
  const explain = { layer: 0, path: 1_000, checks: 0 }
  const reported: ConfigurationSearchLayer[] = []
  const request = { subjects, configurations, losses, control, seed: 1, explain, reports: 'reports' }
  return runConfigurationSearch(request, context, (layer) => reported.push(layer)).then((outcome) => ({
    ...outcome,
    reported,
  }))
}

const at = (
  { cells }: ConfigurationSearchLayer,
  configuration: string,
  loss: string,
): ConfigurationSearchCell | undefined =>
  cells.find((cell) => cell.configuration === configuration && cell.loss === loss)

describe('a configuration search', () => {
  test('calls a sound layer safe on every Redis, and lists the weakest first', async () => {
    const { layers, exitCode, reported } = await play([subject('sound')], () => false)
    const [layer] = layers
    expect(layer!.weakest).toBe('one-server')
    expect(layer!.safeOn).toEqual(configurations.filter(({ waitFor }) => waitFor === undefined).map(({ id }) => id))
    expect(at(layer!, 'sentinel', 'cut-off')).toMatchObject({ verdict: 'holds', reason: null, violation: null })
    expect(at(layer!, 'sentinel', 'cut-off')!.pair).toMatchObject({ runs: 20, scenario: 'frontier/sentinel/cut-off' })
    expect(reported).toEqual(layers)
    expect(exitCode).toBe(0)
  })

  test('names a weakest Redis that a layer survives if it breaks when a killed server comes back', async () => {
    const forgetful = (scenario: string) => /^frontier\/(one-server|replicated).*\/killed-and-back$/.test(scenario)
    const { layers, exitCode } = await play([subject('weak')], forgetful)
    const [layer] = layers
    expect(at(layer!, 'one-server', 'killed-and-back')).toMatchObject({
      verdict: 'breaks',
      reason: expect.stringContaining('happened twice'),
      violation: { invariant: 'at-most-once', token: expect.stringMatching(/^op2_/) },
    })
    expect(layer!.safeOn).not.toContain('one-server')
    expect(layer!.weakest).toBe('sentinel-nothing')
    expect(layer!.weakestFor).toMatchObject({ 'killed-and-back': 'sentinel-nothing', 'all-data-lost': 'one-server' })
    expect(exitCode).toBe(0)
  })

  test('exits with 0 if the layer breaks everywhere, because the question was answered', async () => {
    const { layers, exitCode } = await play([subject('hopeless', { expect: 'broken' })], () => true)
    expect(layers[0]).toMatchObject({ weakest: null, safeOn: [], weakestFor: { stalled: null } })
    expect(exitCode).toBe(0)
  })

  test('is unknown without a required goal, calls no Redis safe, and exits with 4', async () => {
    const { layers, exitCode } = await play([subject('sound')], () => false, { neverReaches: true })
    expect(at(layers[0]!, 'one-server', 'stalled')).toMatchObject({
      verdict: 'unknown',
      reason: 'not reached in 20 runs: crash',
    })
    expect(layers[0]!.weakest).toBeNull()
    expect(exitCode).toBe(4)
  })

  test('marks a cell n/a with the reason if a deployment cannot suffer the loss', async () => {
    const { layers } = await play([subject('sound')], () => false)
    expect(at(layers[0]!, 'one-server', 'cut-off')).toEqual({
      configuration: 'one-server',
      loss: 'cut-off',
      violation: null,
      pair: null,
      verdict: 'n/a',
      reason: 'no replica to promote',
    })
    expect(at(layers[0]!, 'replicated', 'killed-and-replaced')).toMatchObject({
      reason: 'no replica is promoted',
    })
  })

  test('has rows about waiting only for layers that wait', async () => {
    const both = [subject('waits', { waitsForReplicas: true, runs: 2 }), subject('not', { runs: 2 })]
    const { layers } = await play(both, () => false)
    expect(at(layers[0]!, 'sentinel-wait-1', 'cut-off')).toBeDefined()
    expect(at(layers[1]!, 'sentinel-wait-1', 'cut-off')).toBeUndefined()
  })

  test('has no row for a Redis that the layer cannot use, and never calls it safe', async () => {
    const { layers } = await play([subject('no-cluster', { shapes: ['single', 'sentinel'], runs: 2 })], () => false)
    expect(at(layers[0]!, 'sentinel', 'stalled')).toBeDefined()
    expect(at(layers[0]!, 'cluster', 'stalled')).toBeUndefined()
    expect(layers[0]!.safeOn).not.toContain('cluster')
    const { layers: all } = await play([subject('any', { runs: 2 })], () => false)
    expect(all[0]!.safeOn).toContain('cluster')
  })

  test('exits with 3 if the control survives or a run cannot be repeated', async () => {
    const survived = await play([subject('sound')], () => false, { sound: true })
    expect(survived).toMatchObject({ exitCode: 3, harnessFailure: expect.stringContaining('control survived') })
    let n = 0
    const chancy = await play([subject('sound')], () => false, { chance: () => n++ })
    expect(chancy.exitCode).toBe(3)
    expect(at(chancy.layers[0]!, 'one-server', 'stalled')!.verdict).toBe('error')
  })

  test('reports an interruption, and calls no unfinished cell safe', async () => {
    const { layers, exitCode } = await play([subject('sound')], () => false, { stopped: () => true })
    expect(exitCode).toBe(130)
    expect(layers[0]!.safeOn).toEqual([])
  })
})

describe('the scenario of a cell', () => {
  test('is found by its name alone, as workers and tokens need', () => {
    for (const name of cellNames()) {
      expect(isCellName(name)).toBe(true)
      expect(cellScenario(name)!.id).toBe(name)
    }
    expect(cellScenario('frontier/one-server/cut-off')).toBeNull()
    expect(cellScenario('frontier/nowhere/stalled')).toBeNull()
    expect(isCellName('frontier/one-server.ts')).toBe(false)
  })

  test('requires only goals that exist', () => {
    const known = new Set(goals.map(({ name }) => name))
    const asked = cellNames().flatMap((name) => cellScenario(name)!.goals)
    expect(asked.filter((goal) => !known.has(goal))).toEqual([])
  })

  test('draws every plan with its deployment and its loss', () => {
    const sample = (configuration: string, loss: string) =>
      fc.sample(cellScenario(cellName({ id: configuration }, { id: loss }))!.plans, { numRuns: 50, seed: 1 })
    for (const { redis, faults } of sample('sentinel-min-replicas-wait-0', 'killed-and-replaced')) {
      expect(redis).toMatchObject({ replicas: 2, sentinels: 3, minReplicasToWrite: 1, waitFor: 0 })
      const kill = faults.find(({ kind }) => kind === 'redis-restart')!
      expect(kill.healAfterMs).toBeGreaterThan(redis!.downAfterMs)
      expect(kill.near).toBeUndefined()
    }
    for (const { redis, faults } of sample('one-server-aof-always', 'killed-and-back')) {
      expect(redis).toMatchObject({ replicas: 0, sentinels: 0, keeps: 'aof-always' })
      expect(redis!.waitFor).toBeUndefined()
      expect(faults.some(({ kind }) => kind === 'redis-restart')).toBe(true)
    }
    for (const { redis, faults } of sample('sentinel', 'killed-and-back'))
      expect(faults.find(({ kind }) => kind === 'redis-restart')!.healAfterMs).toBeLessThan(redis!.downAfterMs)
  })

  test('has different names for different rows and columns', () => {
    expect(new Set(configurations.map(({ id }) => id)).size).toBe(configurations.length)
    expect(new Set(losses.map(({ id }) => id)).size).toBe(losses.length)
  })
})
