import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-wait-for-one',
  about: 'Waits for only one replica.',
  breaks: 'Through failovers, one after another, and through a deposed primary that does not know it',
  patches: [
    {
      file: 'src/impl/replication.ts',
      find: 'if (acknowledged >= replicas)',
      replace: 'if (acknowledged >= Math.min(1, replicas))',
    },
  ],
  hunt: {
    killedBy: ['machine-cut-off'],
    scenarios: ['split-brain'],
  },
})
