import { defineMutant } from '../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-quorum-of-three',
  about: 'Three of five servers are a majority, and there is no second one beside it.',
  adapter: 'implementations/correct/quorum-before-plain-sink.ts',
  patches: [
    {
      file: 'implementations/correct/quorum-before-plain-sink.ts',
      find: 'const mayForget = 1',
      replace: 'const mayForget = 0',
    },
  ],
  hunt: {
    killedBy: ['redis-restart'],
    needs: ['partition'],
    scenarios: ['quorum-of-five'],
  },
})
