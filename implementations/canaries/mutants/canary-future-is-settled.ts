import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-future-is-settled',
  about: 'What the sink has barred may be attempted, whatever the doubt was about.',
  breaks: '`from-the-future`',
  adapter: 'implementations/reference/reference-reconciles.ts',
  patches: [
    {
      file: 'src/impl/doubt.ts',
      find: " || unasked.reason === 'from-the-future'",
      replace: '',
    },
  ],
  hunt: {
    killedBy: ['late-copy'],
    scenarios: ['stale-message'],
    sink: 'fenced',
  },
})
