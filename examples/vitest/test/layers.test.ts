import { expect, it } from 'vitest'
import 'onceproof/vitest'

const campaign = { scenarios: ['only-redeliveries', 'only-crashes'], runs: 40, seed: 1 }
const aFewMinutes = 300_000

it('the guarded layer applies each effect once', { timeout: aFewMinutes }, async () => {
  await expect('./src/guarded.ts').toApplyEffectsOnce(campaign)
})

// Without `.not`, the test fails, and its error describes how the layer breaks.
it('the naive layer applies some effect twice', { timeout: aFewMinutes }, async () => {
  await expect('./src/naive.ts').not.toApplyEffectsOnce(campaign)
})
