import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-waits-for-the-known',
  about: 'Waits only for the replicas that Sentinel knows.',
  breaks: '`replicas` counts every replica',
  patches: [
    {
      file: 'src/impl/replication.ts',
      find: 'if (acknowledged >= replicas) return',
      replace: 'if (acknowledged >= Math.min(replicas, known?.all ?? replicas)) return',
    },
  ],
  hunt: {
    killedBy: ['machine-forgotten'],
    scenarios: ['forgotten-replica'],
  },
})
