/** Compares explorations with drawn runs within one bound: two deliveries, at most one fault. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { violationsOf } from '../../../src/campaign/causes/reported-violation.ts'
import {
  countName,
  explorePlan,
  placements,
  shapesFor,
  usualKinds,
} from '../../../src/campaign/explore/explore-plan.ts'
import { loadPair } from '../../../src/campaign/play/load-pair.ts'
import { playAndJudge } from '../../../src/campaign/play/play-and-judge.ts'
import { emptyTally } from '../../../src/campaign/tally/tally.ts'
import { catalogue } from '../../../src/cli/catalogue.ts'
import { createDeps } from '../../../src/cli/create-deps.ts'
import { boundaries } from '../../../src/contract/api/plan.ts'

const deps = createDeps(() => false)
const pathOf = (kind: 'scenario' | 'implementation', id: string) =>
  catalogue(kind).find(({ path }) => path.endsWith(`/${id}.ts`))!.path

/** Consumers pass a boundary at most this often in most runs. */
const most = 8
const passed = new Map(
  [0, 1].flatMap((slot) => boundaries.map((at) => [countName(slot, at), Array<boolean>(most).fill(true)] as const)),
)
const placed = [...placements(usualKinds, passed, { slots: [0, 1], store: 'redis' })]
const within = fc.record({
  seed: fc.nat(),
  shape: fc.nat(),
  fault: fc.option(fc.tuple(fc.constantFrom(...placed), fc.integer({ min: 1, max: 6000 }))),
})

/** The kinds of violations in drawn runs of the layer. */
async function drawn(id: string, runs: number): Promise<readonly string[]> {
  const names = { scenarioName: 'everything', implementationName: id, sink: 'plain' as const }
  const paths = { scenarioPath: pathOf('scenario', 'everything'), implementationPath: pathOf('implementation', id) }
  const pair = await loadPair({ ...names, ...paths }, deps)
  const shapes = shapesFor(pair.implementation.implementation)
  const kinds = new Set<string>()
  for (const { seed, shape, fault } of fc.sample(within, { numRuns: runs, seed: 41 })) {
    const plan = explorePlan(2, shapes[shape % shapes.length]!, pair.implementation.implementation)
    const faults = fault === null ? [] : [{ healAfterMs: fault[1], ...fault[0].fault }]
    const request = { ...pair, sink: 'plain' as const, plan: { ...plan, faults }, choices: { seed }, record: false }
    const { verdicts } = await playAndJudge(0, request, emptyTally(), deps)
    for (const { violation } of violationsOf(verdicts)) kinds.add(violation.kind)
  }
  return [...kinds]
}

const runs = Number(process.env.DRAWN_RUNS ?? 300)

it.each(['repaired-lua-acquire', 'reference'])('draws no violation of %s, whose exploration holds', async (id) => {
  expect(await drawn(id, runs)).toEqual([])
})

it('draws a violation of a layer whose exploration breaks', async () => {
  expect(await drawn('000-lua-acquire', 300)).not.toEqual([])
})
