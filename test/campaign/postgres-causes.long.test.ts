/** Layers with a mistake in PostgreSQL. Each mistake gives one finding that explains it. */
import { expect, it } from 'vitest'
import { runCampaign } from '../../src/campaign/conduct/campaign.ts'
import { createDeps } from '../../src/cli/create-deps.ts'
import { selectPairs } from '../../src/cli/select.ts'
import { fakeContext } from './fake-deps.ts'

async function causesOf(layer: string) {
  const deps = createDeps(() => false)
  const wanted = { implementations: [`test/campaign/layers/${layer}.ts`], scenarios: ['competing-consumers'] }
  const [choice] = await selectPairs(wanted, [], deps)
  const { findings } = await runCampaign(
    {
      pairs: [{ choice: choice!, bound: { runs: 60 } }],
      ...{ control: null, layers: 'must-hold', seed: 1, bail: false, cheaper: [], reports: 'reports' },
      explain: { layer: 60_000, path: 8_000, checks: 0 },
    },
    fakeContext(deps),
  )
  return findings.filter(({ cause }) => cause.invariant === 'at-most-once')
}

const told = async (layer: string) =>
  (await causesOf(layer)).map(({ why, cause, otherKinds = [], story }) => ({
    ...{ why, kinds: [cause.kind, ...otherKinds].sort(), story: story.join('\n') },
  }))

it('a session lock that goes through a pool has two findings', async () => {
  const findings = await told('session-lock-in-a-pool')
  expect(findings.map(({ why }) => why).sort()).toEqual([
    'the session that held the advisory lock ended while the first attempt was at work, and the lock with it; SELECT pg_try_advisory_lock granted it to the next attempt',
    'two attempts got one session from their pool: it held the advisory lock, and SELECT pg_try_advisory_lock granted it once more',
  ])
  for (const { story } of findings) expect(story).toContain('take pg_advisory_xact_lock in the transaction')
})

it('an upsert that believes that it holds over any row has one finding, whatever the kinds of its runs', async () => {
  const [only, ...more] = await told('upsert-over-a-record')
  expect(more).toEqual([])
  expect(only!.why).toBe(
    'SELECT requests of the next attempt found no row, as the first one had not committed yet; its INSERT requests ON CONFLICT DO UPDATE then wrote over the row of the first one',
  )
  expect(only!.kinds).toEqual(['duplicate', 'zombie'])
  expect(only!.story).toContain('DO NOTHING, which waits')
})
