import { defineMutant } from '../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-relay-without-lock',
  about: 'Reads the outbox without a lock. (A sink without keys shows that two relays read the same row.)',
  adapter: 'implementations/correct/outbox-before-keyed-sink.ts',
  patches: [
    {
      file: 'implementations/correct/outbox-before-keyed-sink.ts',
      find: ' FOR UPDATE SKIP LOCKED',
      replace: '',
    },
    {
      file: 'implementations/correct/outbox-before-keyed-sink.ts',
      find: "  sinks: ['keyed'],",
      replace: "  sinks: ['plain'],",
    },
  ],
  hunt: {
    killedBy: [],
    scenarios: ['only-redeliveries'],
  },
})
