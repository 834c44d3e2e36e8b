import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-prepare-failure-ignored',
  about: 'Ignores a failure of prepare.',
  breaks: 'The result of `prepare` is sent, or nothing is sent',
  adapter: 'implementations/reference/reference-prepares.ts',
  patches: [
    {
      file: 'src/impl/attempt.ts',
      find: `    if (prepared.status === 'failed') return await giveBack('prepare-failed', prepared.cause)
`,
      replace: '',
    },
  ],
  hunt: {
    killedBy: [],
    scenarios: ['competing-consumers'],
  },
})
