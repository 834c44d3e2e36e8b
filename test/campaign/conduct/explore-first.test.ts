/** Campaigns that explore the smallest bound of a layer before they draw runs. */
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import type { NamedViolation } from '../../../src/campaign/play/campaign-request.ts'
import { campaign } from './exploring-campaign.ts'

it('a layer is violated if only an explored order breaks it', async () => {
  const { first, explored, pairs, findings, exitCode } = await campaign({ layer: '000-lua-acquire', runs: 1 })
  expect(findings).toEqual([])
  expect(first).toMatchObject([{ kind: 'repeat-after-crash', faultCount: 1, explored: true }])
  expect(explored).toMatchObject([
    {
      ...{ implementation: '000-lua-acquire', sink: 'plain', scenario: 'everything', deliveries: 2 },
      levels: [
        { faults: 0, orders: 6, complete: true },
        { faults: 1, complete: false },
      ],
      smallest: { invariant: 'at-most-once', kind: 'repeat-after-crash', explored: true },
    },
  ])
  expect(pairs[0]).toMatchObject({ verdict: 'violated', violations: [{ kind: 'repeat-after-crash', explored: true }] })
  expect(exitCode).toBe(1)
})

it('a finding explains the violation if drawn runs break the layer too', async () => {
  const { explored, pairs, findings } = await campaign({ layer: '000-set-nx-marker', runs: 12 })
  expect(explored![0]!.smallest).toBeDefined()
  expect(findings.length).toBeGreaterThan(0)
  expect(pairs[0]!.violations.filter((one) => 'explored' in one)).toEqual([])
})

it('a layer that holds has the levels of the exploration in its results', async () => {
  const { first, explored, pairs } = await campaign({ layer: 'repaired-set-nx-marker', runs: 1 })
  expect(first).toEqual([])
  expect(explored).toMatchObject([{ levels: [{ faults: 0, orders: 12, complete: true }, { faults: 1 }] }])
  expect(explored![0]!.smallest).toBeUndefined()
  expect(pairs[0]!.violations).toEqual([])
})

it('a scenario that does not judge explored orders is only drawn', async () => {
  const { explored } = await campaign({ layer: '000-set-nx-marker', scenario: 'only-crashes', runs: 1 })
  expect(explored).toBeUndefined()
})

it('a layer that never works is refused, without a violation before the error', async () => {
  const first: NamedViolation[] = []
  const layer = fileURLToPath(new URL('../layers/always-throws.ts', import.meta.url))
  await expect(campaign({ layer, runs: 1, first })).rejects.toThrow('every delivery fails without a fault: Error: down')
  expect(first).toEqual([])
})
