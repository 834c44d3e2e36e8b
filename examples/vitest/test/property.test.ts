import { fc, onceProperty } from 'onceproof'
import { expect, it } from 'vitest'

const aMinute = 60_000

it('no crash makes the guarded layer apply an effect twice', { timeout: aMinute }, async () => {
  await fc.assert(onceProperty('./src/guarded.ts', 'only-crashes'), { numRuns: 30, seed: 1 })
})

// `fc.assert` would fail, with the story of the run to which fast-check has shrunk the first one.
it('a crash breaks the naive layer, and the path replays the same run', { timeout: aMinute }, async () => {
  const property = onceProperty('./src/naive.ts', 'only-crashes')
  const { failed, seed, counterexample, counterexamplePath: path } = await fc.check(property, { numRuns: 30, seed: 1 })
  expect(failed).toBe(true)
  const again = await fc.check(property, { seed, path: path!, endOnFailure: true })
  expect(again.counterexample).toEqual(counterexample)
})
