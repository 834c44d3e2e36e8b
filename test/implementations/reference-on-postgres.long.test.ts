/**
 * The reference on PostgreSQL holds as described in docs/reference/guarantees.md. These few runs
 * need not reach every goal.
 */
import { expect, it } from 'vitest'
import type { Results } from '../../src/contract/results/results.ts'
import { onceproofHere } from '../cli/run-here.ts'
import { brokenRuns, firstBreak, scenariosOf } from './played.ts'

const few = { runs: 25, seed: 5 }
const takenBack = 'postgres-async-failover'

it.each([
  { layer: 'reference-postgres', sink: 'transactional', fits: 15, takesBack: [takenBack] },
  { layer: 'reference-postgres-outside', sink: 'plain', fits: 16, takesBack: [] },
  { layer: 'reference-postgres-outside', sink: 'keyed', fits: 17, takesBack: [] },
  { layer: 'reference-postgres-outside', sink: 'fenced', fits: 16, takesBack: [] },
] as const)(
  'the reference holds: $layer, $sink sink',
  async ({ layer, sink, fits, takesBack }) => {
    const scenarios = await scenariosOf(layer, sink)
    expect(scenarios).toHaveLength(fits)
    for (const scenario of scenarios.filter((one) => ![...takesBack].some((id) => id === one)))
      expect(await firstBreak({ layer, scenario, sink, ...few }), scenario).toBeNull()
  },
  120_000,
)

it('the reference repeats only what an asynchronous standby lacked', async () => {
  const where = { layer: 'reference-postgres', scenario: takenBack, sink: 'transactional', ...few } as const
  const kinds = new Set((await brokenRuns(where)).flatMap((broken) => broken.kinds))
  expect([...kinds].sort()).toEqual(['different-result', 'done-then-lost'])
}, 120_000)

it('the reference has no unsent scripts on PostgreSQL', async () => {
  const args = ['--impl', 'reference-postgres', '--scenario', 'postgres-crash', '--runs', '2', '--no-html', '--json']
  const { coverage } = JSON.parse((await onceproofHere(['run', ...args, '--workers', '1'])).stdout) as Results
  const { neverSent } = coverage.find(({ implementation }) => implementation === 'reference-postgres')!
  expect(neverSent).toEqual([])
})
