import { defineMutant } from '../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-quorum-ends-with-the-lease',
  about: 'Lets a mark without an outcome expire with the lease.',
  adapter: 'implementations/correct/quorum-before-plain-sink.ts',
  patches: [
    {
      file: 'implementations/correct/quorum-before-plain-sink.ts',
      find: "client.set(key, text, 'PX', lifeMs, 'NX')",
      replace: "client.set(key, text, 'PX', leaseMs, 'NX')",
    },
    {
      file: 'implementations/correct/quorum-before-plain-sink.ts',
      find: 'create({ redis, retentionMs, sink })',
      replace: 'create({ redis, leaseMs, retentionMs, sink })',
    },
  ],
  hunt: {
    killedBy: ['pause'],
    scenarios: ['quorum-of-five'],
  },
})
