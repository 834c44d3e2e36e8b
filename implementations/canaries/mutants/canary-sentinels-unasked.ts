import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-sentinels-unasked',
  about: 'Does not ask the Sentinels for the number of replicas.',
  breaks: '`replicas` counts every replica',
  patches: [
    {
      file: 'src/impl/replication.ts',
      find: "if (shape === 'single' || this.#settings.allowMinority)",
      replace: "if (shape !== 'cluster' || this.#settings.allowMinority)",
    },
  ],
  hunt: {
    killedBy: ['machine-added'],
    scenarios: ['uncounted-replica'],
  },
})
