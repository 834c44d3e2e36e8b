import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-waits-for-the-known',
  about: 'Sentinel knows how many replicas there are, so nobody need count them.',
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
