import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertAppliesEffectsOnce } from 'onceproof'

test('the guarded layer applies each effect once', async () => {
  const results = await assertAppliesEffectsOnce('./src/guarded.ts', { scenarios: ['only-redeliveries'], runs: 40 })
  assert.equal(results.pairs[0].verdict, 'pass')
})
