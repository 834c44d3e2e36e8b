import { defineMutant } from '../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-cancels-unconfirmed',
  about: 'Sends a cancellation and does not wait for its answer.',
  adapter: 'implementations/correct/cancel-before-repeat.ts',
  patches: [
    {
      file: 'implementations/correct/cancel-before-repeat.ts',
      find: "if ((await Promise.allSettled(cancelled)).some(({ status }) => status === 'rejected')) return null",
      replace: 'void Promise.allSettled(cancelled)',
    },
  ],
  hunt: {
    killedBy: ['effect-fails-before', 'slow-effect', 'crash', 'pause'],
    scenarios: ['failed-compensation'],
    sink: 'cancellable',
  },
})
