import { describe, expect, it } from 'vitest'
import onlyPauses from '../../../scenarios/only-pauses.ts'
import { drawRun } from '../../../src/campaign/play/draw-run.ts'
import { loadPair } from '../../../src/campaign/play/load-pair.ts'
import type { Implementation } from '../../../src/contract/api/implementation.ts'
import type { Scenario } from '../../../src/contract/api/scenario.ts'

const draws = (scenario: Scenario) =>
  Array.from({ length: 40 }, (_, run) => {
    const { value, choiceSeed } = drawRun(scenario, 7, run)
    return { plan: value.value, choiceSeed }
  })

const played = async (asks: Pick<Implementation, 'serial' | 'broker'> = {}): Promise<Scenario> => {
  const layer = {
    id: 'mine',
    create: () => ({ handle: async () => ({ status: 'retry' as const, reason: '' }) }),
    ...asks,
  }
  const implementation = { implementation: layer } as never
  const deps = { loadScenario: async () => onlyPauses, loadImplementation: async () => implementation }
  return (await loadPair({ scenarioPath: 'only-pauses', implementationPath: 'mine' }, deps)).scenario
}

const partitions = { broker: 'partitions' } as const

describe('a layer that declares `serial`', () => {
  it('is played with the plans of the scenario, each with one message at a time', async () => {
    const [asDrawn, serially] = [draws(await played()), draws(await played({ serial: true }))]
    expect(serially).toEqual(asDrawn.map(({ plan, choiceSeed }) => ({ plan: { ...plan, serial: true }, choiceSeed })))
    expect(asDrawn.filter(({ plan }) => plan.serial !== true).length).toBeGreaterThan(10)
  })
})

describe('a layer that requests partitions', () => {
  it('is played with the plans of the scenario, each with a partitioned broker', async () => {
    const [asDrawn, partitioned] = [draws(await played()), draws(await played(partitions))]
    expect(
      partitioned.map(({ plan: { broker: _, ...plan }, choiceSeed }) => ({ plan: { ...plan }, choiceSeed })),
    ).toEqual(asDrawn.map(({ plan, choiceSeed }) => ({ plan: { ...plan }, choiceSeed })))
    const drawn = partitioned.map(({ plan }) => plan.broker!)
    expect(new Set(drawn.map(({ partitions }) => partitions))).toEqual(new Set([1, 2, 3, 4]))
    expect(new Set(drawn.map(({ batch }) => batch))).toEqual(new Set([1, 2, 3, 4]))
    expect(asDrawn.every(({ plan }) => plan.broker === undefined)).toBe(true)
  })

  it('may be serial as well', async () => {
    const both = draws(await played({ serial: true, ...partitions }))
    expect(both.every(({ plan }) => plan.serial === true && plan.broker !== undefined)).toBe(true)
  })
})

describe('a layer that requests a workload', () => {
  it('gets the same scenario object on every load, so that samples of its plans are kept', async () => {
    expect(await played({ serial: true })).toBe(await played({ serial: true }))
    expect(await played(partitions)).toBe(await played(partitions))
    expect(await played(partitions)).not.toBe(await played({ serial: true }))
    expect(await played()).toBe(onlyPauses)
  })
})
