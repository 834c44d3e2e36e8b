import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-asks-sentinels-once',
  about: 'How many replicas there are was asked when the connection was made, and need not be asked again.',
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
