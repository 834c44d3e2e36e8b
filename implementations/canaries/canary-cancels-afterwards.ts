import { defineMutant } from '../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-cancels-afterwards',
  about: 'Records the result first, and cancels earlier attempts only afterwards.',
  adapter: 'implementations/correct/cancel-before-repeat.ts',
  patches: [
    {
      file: 'implementations/correct/cancel-before-repeat.ts',
      find: 'return await end(key, attempt, await cancelAndPerform(message, before, attempt))',
      replace: `const outcome = await end(key, attempt, await cancelAndPerform(message, [], attempt))
          for (const earlier of before) await sink.cancel!(message.key, earlier)
          return outcome`,
    },
  ],
  hunt: {
    killedBy: ['crash', 'effect-fails-before', 'effect-fails-after', 'pause'],
    scenarios: ['failed-compensation'],
    sink: 'cancellable',
  },
})
