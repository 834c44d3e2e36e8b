import { defineMutant } from '../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-quorum-of-two',
  about: 'Takes two of five servers as a majority.',
  adapter: 'implementations/correct/quorum-before-plain-sink.ts',
  patches: [
    {
      file: 'implementations/correct/quorum-before-plain-sink.ts',
      find: 'Math.floor((servers + mayForget) / 2) + 1',
      replace: 'Math.min(servers, 2)',
    },
  ],
  hunt: {
    killedBy: ['partition'],
    scenarios: ['quorum-of-five'],
  },
})
