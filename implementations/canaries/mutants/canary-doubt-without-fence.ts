import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-doubt-without-fence',
  about: 'Asks the sink about a doubt by key alone, without the fence.',
  breaks: '`reconcile` has no answer "not found"',
  adapter: 'implementations/reference/reference-reconciles.ts',
  patches: [
    {
      file: 'src/impl/doubt.ts',
      find: 'reason: unasked.reason, fence, ...by }',
      replace: 'reason: unasked.reason, fence: 0, ...by }',
    },
  ],
  hunt: {
    killedBy: ['pause', 'slow-link', 'partition'],
    scenarios: ['slow-lock-holder', 'network-partition'],
    sink: 'fenced',
  },
})
