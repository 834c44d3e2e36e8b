import { fc, onceProperty } from 'onceproof'
import { expect, it } from 'vitest'

const aMinute = 60_000

it('no crash makes the guarded layer apply an effect twice', { timeout: aMinute }, async () => {
  await fc.assert(onceProperty('./src/guarded.ts', 'only-crashes'), { numRuns: 30, seed: 1 })
})

// `fc.assert` would fail, with the story of the run that is left when fast-check has shrunk it.
it('a crash breaks the naive one, and the path leads to the same run again', { timeout: aMinute }, async () => {
  const property = onceProperty('./src/naive.ts', 'only-crashes')
  const { failed, seed, counterexample, counterexamplePath: path } = await fc.check(property, { numRuns: 30, seed: 1 })
  expect(failed).toBe(true)
  const again = await fc.check(property, { seed, path: path!, endOnFailure: true })
  expect(again.counterexample).toEqual(counterexample)
})
