/** The reference on PostgreSQL holds wherever docs/guarantees.md says so. So few runs need not reach every goal. */
import { expect, it } from 'vitest'
import type { Results } from '../../src/contract/results.ts'
import { onceproof } from '../cli/run-cli.ts'

async function played(id: string, sink: string, ...args: string[]) {
  const bound = ['--runs', '25', '--seed', '5', '--no-html', '--json']
  const { stdout } = await onceproof(['run', '--impl', id, '--sink', sink, ...bound, ...args])
  const { pairs } = JSON.parse(stdout) as Results
  return pairs
    .filter(({ implementation }) => implementation === id)
    .map(({ scenario, verdict, violations }) => ({
      scenario,
      verdict,
      kinds: violations.map(({ kind }) => kind).sort(),
    }))
}

const takenBack = 'postgres-async-failover'

it.each([
  ['reference-postgres', 'transactional', 10],
  ['reference-postgres-outside', 'plain', 11],
  ['reference-postgres-outside', 'keyed', 11],
  ['reference-postgres-outside', 'fenced', 11],
])(
  '%s, %s sink',
  async (id, sink, fits) => {
    const pairs = await played(id, sink)
    const asPromised = pairs.filter(({ scenario }) => sink !== 'transactional' || scenario !== takenBack)
    expect(asPromised.filter(({ verdict }) => verdict !== 'pass' && verdict !== 'unknown')).toEqual([])
    expect(asPromised).toHaveLength(fits)
  },
  120_000,
)

it('takes back what an asynchronous standby had not got, and does nothing worse', async () => {
  const [pair] = await played('reference-postgres', 'transactional', '--scenario', takenBack)
  expect(pair).toEqual({ scenario: takenBack, verdict: 'violated', kinds: expect.arrayContaining(['done-then-lost']) })
  expect(pair!.kinds.filter((kind) => !['done-then-lost', 'different-result'].includes(kind))).toEqual([])
}, 120_000)

it('is not told of scripts that it could send to no server', async () => {
  const args = ['--impl', 'reference-postgres', '--scenario', 'postgres-crash', '--runs', '2', '--no-html', '--json']
  const { coverage } = JSON.parse((await onceproof(['run', ...args])).stdout) as Results
  const { neverSent } = coverage.find(({ implementation }) => implementation === 'reference-postgres')!
  expect(neverSent).toEqual([])
})
