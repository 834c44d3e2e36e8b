import { defineMutant } from '../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-quorum-frees-anybodys',
  about: 'An attempt that too few servers granted takes its marks back: it deletes the key on all of them.',
  adapter: 'implementations/correct/quorum-before-plain-sink.ts',
  patches: [
    {
      file: 'implementations/correct/quorum-before-plain-sink.ts',
      find: 'client.eval(deleteMine, 1, key, text)',
      replace: 'client.del(key)',
    },
  ],
  hunt: {
    killedBy: [],
    scenarios: ['quorum-of-five'],
  },
})
