import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-waits-for-the-electable',
  about: 'Waits only for the replicas that can be promoted.',
  breaks: '`replicas` counts every replica',
  patches: [
    {
      file: 'src/impl/replication.ts',
      find: 'if (acknowledged >= replicas) return',
      replace: 'if (acknowledged >= Math.min(replicas, known?.electable ?? replicas)) return',
    },
  ],
  hunt: {
    killedBy: ['machine-cut-off'],
    scenarios: ['split-brain'],
  },
})
