import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-no-wait',
  about: 'Does not wait for replicas after begin.',
  breaks: 'Through failovers, one after another, and through a deposed primary that does not know it',
  patches: [
    {
      file: 'src/impl/replication.ts',
      find: "return sink.kind === 'plain' && (replicas > 0 || !alone)",
      replace: "return sink.kind === 'plain' && (replicas > 0 || !alone) && false",
    },
  ],
  hunt: {
    killedBy: ['machine-cut-off'],
    scenarios: ['split-brain'],
  },
})
