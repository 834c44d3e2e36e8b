/**
 * Which layers `run`, `matrix` and `configurations` select, and on which sinks. No run is played.
 */
import fs from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDeps } from '../../src/cli/create-deps.ts'
import { onlyLastFailed } from '../../src/cli/last-failed.ts'
import { selectLayers, selectUnplayed, selectVersions } from '../../src/cli/select.ts'
import { selectCells } from '../../src/cli/select-cells.ts'
import { selectPairsOn } from '../../src/cli/select-on-sinks.ts'
import { shareOut } from '../../src/cli/shard-part.ts'
import { unplayedSinkLines } from '../../src/report/last-lines.ts'
import { write } from './run-cli.ts'
import { twoVersionsProject } from './two-versions-project.ts'

const deps = createDeps(() => false)
const upgrade = { from: 'marker-before-plain-sink', next: './next.ts' }
const both = 'marker-before-plain-sink with-next ./next.ts'
const scenarios = ['competing-consumers']

it('a layer is played on its first sink if it cannot use a plain one', async () => {
  const implementations = ['reference', 'lock-before-keyed-sink', 'cancel-before-repeat']
  const layers = await selectLayers({ implementations }, deps)
  expect(layers.map(({ sink }) => sink)).toEqual(['plain', 'keyed', 'cancellable'])
})

describe('a layer that declares several sinks', () => {
  const names = ['competing-consumers', 'stale-message', 'too-old-meanwhile', 'fences-after-loss']
  const on = async (sinks: Parameters<typeof selectPairsOn>[0], implementation = 'reference') => {
    const notes: string[] = []
    const wanted = { implementations: [implementation], next: undefined, scenarios: names }
    const pairs = await selectPairsOn(sinks, wanted, [], deps, (why) => notes.push(why))
    const unplayed = await selectUnplayed(pairs, names, deps)
    return { pairs: pairs.map(({ scenarioName, sink }) => `${scenarioName}, ${sink}`).sort(), notes, unplayed }
  }
  const left = (sink: string, scenarios: number, of: number) => ({ implementation: 'reference', sink, scenarios, of })

  it('is played on each of them if that matters, and the others are listed', async () => {
    const { pairs, notes, unplayed } = await on([undefined])
    expect(pairs).toEqual([
      'competing-consumers, plain',
      'fences-after-loss, fenced',
      'stale-message, fenced',
      'stale-message, keyed',
      'stale-message, plain',
      'too-old-meanwhile, keyed',
    ])
    expect(notes).toEqual([])
    expect(unplayed).toEqual([left('keyed', 1, 3), left('fenced', 1, 3)])
    const [line, ...more] = unplayedSinkLines({ unplayedSinks: unplayed })
    expect(line).toBe(
      'not played: reference on a keyed sink in 1 of 3 scenarios, on a fenced sink in 1 of 3 scenarios (play it with --sink keyed)',
    )
    expect(more).toEqual([])
  })

  it('has no cell of a matrix on a sink outside the scenario', async () => {
    const runs = { holds: 1, broken: 1, pure: 1 }
    const on = async (implementation: string, scenario: string) =>
      (await selectCells({ implementations: [implementation], scenarios: [scenario], runs }, deps)).map(
        ({ choice }) => choice.sink,
      )
    expect(await on('000-get-set-record-without-key', 'messages-without-key')).toEqual(['plain'])
    expect(await on('reference', 'fences-after-loss')).toEqual(['fenced'])
    expect(await on('reference', 'competing-consumers')).toEqual(['plain', 'keyed', 'fenced'])
  })

  it('is played only on the requested one, and the others are listed', async () => {
    const { pairs, unplayed } = await on(['keyed'])
    expect(pairs).toEqual(['competing-consumers, keyed', 'stale-message, keyed', 'too-old-meanwhile, keyed'])
    expect(unplayed).toEqual([left('plain', 2, 2), left('fenced', 3, 3)])
  })

  it('is listed nowhere if it declares only one', async () => {
    const { pairs, unplayed } = await on([undefined], 'lock-before-keyed-sink')
    expect(pairs).toEqual(['competing-consumers, keyed', 'stale-message, keyed', 'too-old-meanwhile, keyed'])
    expect(unplayed).toEqual([])
  })
})

describe('two versions of a layer', () => {
  const before = process.cwd()
  beforeAll(() => process.chdir(twoVersionsProject()))
  afterAll(() => process.chdir(before))

  it('are named by a config, beside a single layer, on each common sink', async () => {
    const wanted = { implementations: [upgrade, './next.ts'], next: undefined, scenarios }
    const pairs = await selectPairsOn(['plain', 'keyed', 'cancellable'], wanted, [], deps, () => {})
    expect(pairs.map(({ implementationName, sink }) => `${implementationName}, ${sink}`)).toEqual([
      `${both}, plain`,
      `${both}, keyed`,
      './next.ts, plain',
      './next.ts, keyed',
    ])
  })

  it('are made of every layer with --with-next, whatever the config names', async () => {
    const selected = await selectVersions([upgrade, './next.ts'], './again.ts', deps)
    expect(selected.map(({ name }) => name)).toEqual([
      'marker-before-plain-sink with-next ./again.ts',
      './next.ts with-next ./again.ts',
    ])
  })

  it('have cells of a matrix on each common sink', async () => {
    const wanted = { implementations: ['reference'], next: '001-get-set', scenarios }
    const cells = await selectCells({ ...wanted, runs: { holds: 1, broken: 1, pure: 1 } }, deps)
    expect(cells.map(({ choice: { implementationName, sink } }) => `${implementationName}, ${sink}`)).toEqual(
      ['plain', 'keyed'].map((sink) => `reference with-next 001-get-set, ${sink}`),
    )
  })

  it('are one subject of a configuration search', async () => {
    const [layer, ...more] = await selectLayers({ implementations: [upgrade.from], next: upgrade.next }, deps)
    expect(more).toEqual([])
    expect(layer).toMatchObject({ implementationName: both, sink: 'plain' })
    expect(layer!.implementation.id).toBe('marker-before-plain-sink with-next marker-version-two')
  })

  it('are played again by --last-failed, which knows both ids', async () => {
    const wanted = { implementations: [upgrade, './next.ts'], next: undefined, scenarios }
    const pairs = await selectPairsOn([undefined], wanted, [], deps, () => {})
    const [implementation, scenario] = ['marker-before-plain-sink with-next marker-version-two', scenarios[0]]
    const last = {
      pairs: [{ implementation, scenario, sink: 'plain', verdict: 'violated' }],
      notRun: [],
      findings: [],
      rootCauses: [],
    }
    write(process.cwd(), 'reports/latest/results.json', JSON.stringify(last))
    const again = await onlyLastFailed(pairs, 'reports', deps, () => {})
    expect(again.map(({ implementationName }) => implementationName)).toEqual([both])
  })

  it('are identified in a shard by the files of both', async () => {
    const wanted = { implementations: [upgrade], next: undefined, scenarios }
    const pairs = await selectPairsOn([undefined], wanted, [], deps, () => {})
    const items = pairs.map((choice) => ({ choice, bound: { runs: 1 } }))
    const files = new Map<string, string>()
    const campaign = { command: 'run', options: {}, seed: 1, items } as const
    const facts = async () => {
      const { leave } = await shareOut(campaign, { index: 1, of: 1 }, null)
      leave(files)
      return JSON.parse(files.get('shard.json')!).campaign.files
    }
    const digests = await facts()
    expect(Object.keys(digests)).toEqual(['next.ts'])
    fs.appendFileSync('next.ts', '\n// another one')
    expect(await facts()).not.toEqual(digests)
  })
})
