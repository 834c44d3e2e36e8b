/** How a campaign treats an invariant that needs a declaration. */
import { expect, it } from 'vitest'
import { runCampaign } from '../../src/campaign/conduct/campaign.ts'
import { judge } from '../../src/check/index.ts'
import type { Implementation } from '../../src/contract/api/implementation.ts'
import { defineInvariant } from '../../src/contract/api/verdict.ts'
import { fakeBench, fakeContext } from './fake-deps.ts'

/** Accuses every layer that it checks. */
const accuses = defineInvariant({
  id: 'accuses',
  about: 'Nothing ever holds.',
  needs: 'deadLetterReasons.vanished',
  judge: () => ({ always: [{ kind: 'accused', key: null, sentence: 'It was accused.', events: [] }] }),
})

async function pairOf(declared: Partial<Implementation>) {
  const deps = fakeBench({ sound: true })
  const { pairs } = await runCampaign(
    {
      pairs: [
        {
          choice: {
            ...{
              scenarioPath: 's',
              scenarioName: 'fake-crash',
              implementationPath: 'layer',
              implementationName: 'layer',
            },
            ...{ sink: 'plain' as const, corpus: [], runMs: 1 },
          },
          bound: { runs: 20 },
        },
      ],
      ...{ control: null, layers: 'must-hold', seed: 1, bail: true, cheaper: [], reports: 'reports' },
      explain: { layer: 100, path: 100, checks: 100 },
    },
    fakeContext({
      ...deps,
      judge: ({ header, events }, names, own) =>
        judge({ header: { ...header, ...(declared as object) }, events }, names, own),
      loadScenario: async (file) => ({
        ...(await deps.loadScenario(file)),
        ...{ invariants: ['own:accuses' as const], own: [accuses] },
      }),
      loadImplementation: async (file) => {
        const loaded = await deps.loadImplementation(file)
        return { ...loaded, implementation: { ...loaded.implementation, ...declared } }
      },
    }),
  )
  return pairs[0]!
}

it('an invariant is n/a with the reason if the layer lacks the declaration', async () => {
  const { verdict, invariants } = await pairOf({ deadLetterReasons: { failed: { reason: 'gone', attempts: 3 } } })
  expect(verdict).toBe('pass')
  expect(invariants).toEqual({
    'own:accuses': {
      verdict: 'n/a',
      runsViolated: 0,
      reason: 'the layer does not declare `deadLetterReasons.vanished`',
    },
  })
})

it('an invariant is checked if the layer has the declaration', async () => {
  const { verdict, invariants } = await pairOf({ deadLetterReasons: { vanished: 'gone' } })
  expect(verdict).toBe('violated')
  expect(invariants['own:accuses']).toMatchObject({ verdict: 'violated' })
})
