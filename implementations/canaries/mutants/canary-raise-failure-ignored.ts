import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-raise-failure-ignored',
  about: 'Ignores a failure of raise.',
  breaks: '`fenced` sinks',
  patches: [
    {
      file: 'src/impl/attempt.ts',
      find: `    if (raised.status === 'failed') return await giveBack('raise-failed', raised.cause)
`,
      replace: '',
    },
  ],
  hunt: {
    killedBy: ['partition', 'slow-link'],
    scenarios: ['network-partition', 'slow-lock-holder'],
    sink: 'fenced',
  },
})
