import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-attached-unasked',
  about: 'Does not check how many replicas are attached.',
  breaks: '`replicas` counts every replica',
  patches: [
    {
      file: 'src/impl/replication.ts',
      find: `    if (!allowMinority && attached > Math.max(replicas, known?.all ?? 0))
      return uncounted('the primary', attached, replicas)
`,
      replace: '',
    },
  ],
  hunt: {
    killedBy: ['machine-added'],
    scenarios: ['uncounted-replica'],
  },
})
