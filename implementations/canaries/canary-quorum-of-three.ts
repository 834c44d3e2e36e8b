import { defineMutant } from '../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-quorum-of-three',
  about: 'Takes three of five servers as a majority, although one of them may forget.',
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
