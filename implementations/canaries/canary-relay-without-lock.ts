import { defineMutant } from '../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-relay-without-lock',
  about:
    'A relay only reads the outbox: there is nothing to lock. (A sink that takes no key shows that two read the same.)',
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
