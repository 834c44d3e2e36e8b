/**
 * A rare bug beside a frequent one of the same kind on the same path has its own finding, story and
 * advice.
 */
import { describe, expect, it } from 'vitest'
import { runCampaign } from '../../src/campaign/conduct/campaign.ts'
import { createDeps } from '../../src/cli/create-deps.ts'
import { selectPairs } from '../../src/cli/select.ts'
import type { Scenario } from '../../src/contract/api/scenario.ts'
import { fakeContext } from './fake-deps.ts'
import { lateAnswer, recordThatEnds } from './layers/frequent-and-rare.ts'

async function findingsOf(layer: string, scenario: Scenario) {
  const deps = { ...createDeps(() => false), loadScenario: async () => scenario }
  const wanted = {
    implementations: [`test/campaign/layers/${layer}.ts`],
    scenarios: ['lost-reply'],
    sink: 'plain' as const,
  }
  const [choice] = await selectPairs(wanted, [], deps)
  const { findings } = await runCampaign(
    {
      pairs: [{ choice: { ...choice!, scenarioName: scenario.id }, bound: { runs: 40 } }],
      control: null,
      layers: 'must-hold',
      seed: 1,
      bail: false,
      cheaper: [],
      reports: 'reports',
      explain: { layer: 100_000, path: 20_000, checks: 0 },
    },
    fakeContext(deps),
  )
  return findings.map((finding) => ({ ...finding, story: finding.story.join('\n') }))
}

describe('a gap between a refused SET NX and a GET', () => {
  it('has a finding beside expired records, with its own advice', async () => {
    const [often, rare, ...more] = await findingsOf('claim-then-look', recordThatEnds)
    expect(more).toEqual([])
    expect([often!.cause.kind, rare!.cause.kind]).toEqual(['repeat-after-loss:expiry', 'repeat-after-loss:expiry'])
    expect([often!.cause.decidedBy, often!.runs]).toEqual(['SET: OK', 36])
    expect([rare!.cause.decidedBy, rare!.runs]).toEqual(['SET: nothing, then GET: nothing', 4])
    expect(often!.story).toContain('A record should live for as long as copies')
    expect(rare!.story).toContain('should have started over')
    expect(rare!.story).toMatch(
      /executes SET order-1 processing PX 1000 NX for consumer-1: nil[\s\S]*executes GET order-1 for consumer-1: nil/,
    )
  })
})

describe('a late answer after which a completed record is overwritten', () => {
  it('has a finding beside two attempts that find nothing, and its story has the read and the SET', async () => {
    const [often, rare, ...more] = await findingsOf('look-then-claim', lateAnswer)
    expect(more).toEqual([])
    for (const { cause } of [often!, rare!]) expect(cause).toMatchObject({ kind: 'duplicate', path: ['GET', 'SET'] })
    expect([often!.cause.decidedBy, rare!.cause.decidedBy]).toEqual(['SET: OK', 'SET: OK, done meanwhile'])
    expect(often!.runs).toBeGreaterThan(5 * rare!.runs)
    expect(rare!.story).toContain('overwrote a record that was completed')
    expect(rare!.story).toMatch(
      /executes GET order-1 for consumer-1: nil[\s\S]*answers done[\s\S]*executes SET order-1 processing PX 1000 for consumer-1: OK/,
    )
  })
})
