import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-unknown-is-barred',
  about: 'Treats an unknown effect as not done.',
  breaks: '`reconcile` has no answer "not found"',
  adapter: 'implementations/reference/reference-reconciles.ts',
  patches: [
    {
      file: 'src/impl/doubt.ts',
      find: `  if (answer.status === 'unknown') return inDoubt({ reason: 'reconcile-unknown' })
`,
      replace: '',
    },
  ],
  hunt: {
    killedBy: ['crash'],
    scenarios: ['crash-mid-logic'],
  },
})
