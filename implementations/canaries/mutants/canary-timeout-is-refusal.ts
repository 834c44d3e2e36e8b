import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-timeout-is-refusal',
  about: 'Treats a timeout as a refusal.',
  breaks: 'A refusal is a refusal',
  patches: [
    {
      file: 'implementations/reference/parts/guarded-at.ts',
      find: 'isRefusal: isSinkRefusal }',
      replace: "isRefusal: (error) => isSinkRefusal(error) || (error as Error).name === 'SinkTimeout' }",
    },
  ],
  hunt: {
    killedBy: ['effect-fails-before', 'effect-fails-after', 'partition', 'slow-link'],
    scenarios: ['lost-reply', 'network-partition'],
  },
})
