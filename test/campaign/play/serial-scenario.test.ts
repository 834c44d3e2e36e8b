import { describe, expect, it } from 'vitest'
import onlyPauses from '../../../scenarios/only-pauses.ts'
import { drawRun } from '../../../src/campaign/play/draw-run.ts'
import { loadPair } from '../../../src/campaign/play/load-pair.ts'
import type { Scenario } from '../../../src/contract/api/scenario.ts'

const draws = (scenario: Scenario) =>
  Array.from({ length: 40 }, (_, run) => {
    const { value, choiceSeed } = drawRun(scenario, 7, run)
    return { plan: value.value, choiceSeed }
  })

const played = async (serial?: true): Promise<Scenario> => {
  const layer = {
    id: 'mine',
    create: () => ({ handle: async () => ({ status: 'retry' as const, reason: '' }) }),
    serial,
  }
  const implementation = { implementation: layer } as never
  const deps = { loadScenario: async () => onlyPauses, loadImplementation: async () => implementation }
  return (await loadPair({ scenarioPath: 'only-pauses', implementationPath: 'mine' }, deps)).scenario
}

describe('a layer that says `serial`', () => {
  it('is played with the plans of the scenario, one message at a time in each', async () => {
    const [asDrawn, serially] = [draws(await played()), draws(await played(true))]
    expect(serially).toEqual(asDrawn.map(({ plan, choiceSeed }) => ({ plan: { ...plan, serial: true }, choiceSeed })))
    expect(asDrawn.filter(({ plan }) => plan.serial !== true).length).toBeGreaterThan(10)
  })

  it('has one scenario however often the pair is loaded, so that samples of its plans are kept', async () => {
    expect(await played(true)).toBe(await played(true))
  })
})
