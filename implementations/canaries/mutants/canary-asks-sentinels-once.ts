import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-asks-sentinels-once',
  about: 'Asks the Sentinels for the number of replicas only once, when it connects.',
  breaks: '`replicas` counts every replica',
  patches: [
    {
      file: 'src/impl/replication.ts',
      find: 'if (open.known === undefined || now - open.askedAtMs >= believedMs) {',
      replace: 'if (open.known === undefined) {',
    },
  ],
  hunt: {
    killedBy: ['machine-added'],
    scenarios: ['uncounted-replica'],
  },
})
