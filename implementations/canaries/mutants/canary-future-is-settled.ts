import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-future-is-settled',
  about: 'Settles a message from the future like any other doubt.',
  breaks: '`from-the-future`',
  adapter: 'implementations/reference/reference-reconciles.ts',
  patches: [
    {
      file: 'src/impl/doubt.ts',
      find: "  if (unasked.reason === 'from-the-future') return { status: 'in-doubt', ...unasked }\n",
      replace: '',
    },
  ],
  hunt: {
    killedBy: ['late-copy'],
    scenarios: ['stale-message'],
    sink: 'fenced',
  },
})
