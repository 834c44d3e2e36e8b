import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-one-replica-less',
  about: 'Waits for one replica less than configured.',
  breaks: '`replicas` counts every replica',
  patches: [
    {
      file: 'implementations/reference/parts/options.ts',
      find: 'replicas: waitFor,',
      replace: 'replicas: Math.max(0, waitFor - 1),',
    },
    {
      file: 'src/impl/replication.ts',
      find: `      if (must > this.#settings.replicas) return uncounted(known!.by, must, this.#settings.replicas)
`,
      replace: '',
    },
    {
      file: 'src/impl/replication.ts',
      find: `    if (!allowMinority && attached > Math.max(replicas, known?.all ?? 0))
      return uncounted('the primary', attached, replicas)
`,
      replace: '',
    },
  ],
  hunt: {
    killedBy: ['machine-cut-off'],
    scenarios: ['split-brain'],
  },
})
