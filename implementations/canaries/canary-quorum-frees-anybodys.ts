import { defineMutant } from '../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-quorum-frees-anybodys',
  about: 'Deletes the key on all servers if too few granted it, regardless of the owner.',
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
