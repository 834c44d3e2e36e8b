import { describe, expect, it } from 'vitest'
import { notApplicable } from '../../src/campaign/goals/index.ts'
import { drawRun } from '../../src/campaign/play/draw-run.ts'
import type { LoadedPair } from '../../src/campaign/play/load-pair.ts'
import { playAndJudge } from '../../src/campaign/play/play-and-judge.ts'
import { requestOf } from '../../src/campaign/play/run-chunk.ts'
import { emptyTally, type Tally } from '../../src/campaign/tally/tally.ts'
import { catalogue } from '../../src/cli/catalogue.ts'
import { createDeps } from '../../src/cli/create-deps.ts'
import { checkPlans, loadScenario } from '../../src/cli/load-scenario.ts'
import type { Plan } from '../../src/contract/api/plan.ts'
import type { Scenario } from '../../src/contract/api/scenario.ts'
import { pairById } from './pair-by-id.ts'

const bench = createDeps(() => false)

/**
 * The claim of a scenario: a layer that its faults break, how they break it, and simple layers that
 * they do not break.
 */
interface Claim {
  readonly id: string
  readonly breaks: { readonly layer: string; readonly as: string }
  readonly passes: readonly string[]
}

const claims: readonly Claim[] = [
  {
    id: 'only-redeliveries',
    breaks: { layer: '000-get-set-record', as: 'at-most-once duplicate' },
    passes: ['000-set-nx-marker', '003-set-nx-in-progress', '004-lock-and-record'],
  },
  {
    id: 'only-crashes',
    breaks: { layer: '003-set-nx-in-progress', as: 'at-most-once repeat-after-crash' },
    passes: [],
  },
  {
    id: 'only-lost-replies',
    breaks: { layer: '000-set-nx-marker', as: 'no-false-done done-without-effect' },
    passes: ['001-get-set', '004-naive'],
  },
  {
    id: 'only-pauses',
    breaks: { layer: '003-set-nx-in-progress', as: 'at-most-once zombie' },
    passes: ['000-set-nx-marker'],
  },
  {
    id: 'only-consumer-clocks',
    breaks: { layer: '000-lua-acquire', as: 'at-most-once duplicate' },
    passes: ['001-lua-server-time', '002-check-and-set-nack-on-skip', '000-set-nx-marker'],
  },
  {
    id: 'only-redis-clock',
    breaks: { layer: '001-lua-server-time', as: 'at-most-once duplicate' },
    passes: ['000-set-nx-marker'],
  },
  {
    id: 'only-failovers',
    breaks: { layer: '001-get-set', as: 'at-most-once repeat-after-loss:failover' },
    passes: [],
  },
  {
    id: 'only-expiry',
    breaks: { layer: '001-get-set', as: 'at-most-once repeat-after-loss:expiry' },
    passes: [],
  },
]

const scenarios = await Promise.all(catalogue('scenario').map(({ path }) => loadScenario(path)))
const pure = scenarios.filter(({ onlyFaults }) => onlyFaults !== undefined)

/**
 * Plays the first runs of a scenario, with or without the faults of its plans. Ends at the first
 * expected violation.
 */
async function play(
  layerId: string,
  scenario: Pick<Scenario, 'id'>,
  { runs, faults, until }: { runs: number; faults: boolean; until?: string },
): Promise<Tally> {
  const { task, pair } = await pairById(layerId, scenario.id, bench)
  const tally = emptyTally()
  for (let run = 0; run < runs; run++) {
    await playAndJudge(run, faults ? requestOf(task, pair, run) : withoutFaults(task, pair, run), tally, bench)
    if (until !== undefined && waysOf(tally).includes(until)) break
  }
  return tally
}

function withoutFaults(task: Parameters<typeof requestOf>[0], pair: LoadedPair, run: number) {
  const request = requestOf(task, pair, run)
  return { ...request, plan: { ...request.plan, faults: [] } }
}

const waysOf = ({ paths }: Tally): string[] => [
  ...new Set([...paths.values()].map(({ invariant, kind }) => `${invariant} ${kind}`)),
]

function plansOf(scenario: Scenario): Plan[] {
  return Array.from({ length: 300 }, (_, run) => drawRun(scenario, 1, run).value.value)
}

it('every pure scenario has a claim, and every claim has a pure scenario', () => {
  expect(pure.map(({ id }) => id).sort()).toEqual(claims.map(({ id }) => id).sort())
})

describe.each(pure)('$id', (scenario) => {
  const { breaks, passes } = claims.find(({ id }) => id === scenario.id)!

  it('plans only its own faults, and at least one in every run', () => {
    const plans = plansOf(scenario)
    const kinds = new Set(plans.flatMap(({ faults }) => faults.map(({ kind }) => kind)))
    expect([...kinds].sort()).toEqual([...scenario.onlyFaults!].sort())
    expect(plans.filter(({ faults }) => faults.length === 0)).toEqual([])
  })

  it('has effects shorter than a lease, leases shorter than the visibility timeout of the broker, and a patient caller', () => {
    for (const { effectMs, leaseMs, visibilityMs, effectTimeoutMs } of plansOf(scenario)) {
      expect(effectMs).toBeLessThan(leaseMs)
      expect(leaseMs).toBeLessThan(visibilityMs)
      expect(visibilityMs).toBeLessThan(effectTimeoutMs)
    }
  })

  it(`breaks ${breaks.layer}: ${breaks.as}`, async () => {
    const tally = await play(breaks.layer, scenario, { runs: 100, faults: true, until: breaks.as })
    expect(waysOf(tally)).toContain(breaks.as)
  })

  it(`does not break ${breaks.layer} without its faults`, async () => {
    expect(waysOf(await play(breaks.layer, scenario, { runs: 30, faults: false }))).toEqual([])
  })

  it.each(passes)('does not break %s', async (layer) => {
    expect(waysOf(await play(layer, scenario, { runs: 60, faults: true }))).toEqual([])
  })

  it('does not break the reference, which reaches all its goals in few runs', async () => {
    const tally = await play('reference', scenario, { runs: 20, faults: true })
    expect(waysOf(tally)).toEqual([])
    const { pair } = await pairById('reference', scenario.id, bench)
    const { implementation } = pair.implementation
    for (const goal of scenario.goals.filter((name) => notApplicable(name, implementation) === null))
      expect([goal, tally.goals.get(goal) ?? 0]).toEqual([goal, expect.toSatisfy((n: number) => n >= 2)])
  })
})

describe('the clock that jumps', () => {
  const machinesOf = (id: string) => {
    const plans = plansOf(pure.find((one) => one.id === id)!)
    return new Set(plans.flatMap(({ faults }) => faults.map(({ machine }) => machine)))
  }

  it('belongs to a consumer', () => expect(machinesOf('only-consumer-clocks')).toEqual(new Set([0, 1, 2])))
  it('belongs to Redis', () => expect(machinesOf('only-redis-clock')).toEqual(new Set([-1])))
})

it('a scenario that plans a fault outside of its `onlyFaults` is refused', () => {
  const [crashes] = pure.filter(({ id }) => id === 'only-crashes')
  expect(() => checkPlans('s.ts', { ...crashes!, onlyFaults: ['pause'] })).toThrow(
    'it plans crash, which its `onlyFaults` lack; remove the fault, or add it there',
  )
})
