import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-waits-for-the-electable',
  about: 'A replica that is never promoted need not have it, so as many as can be are waited for.',
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
