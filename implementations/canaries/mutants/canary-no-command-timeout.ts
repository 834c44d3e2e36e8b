import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-no-command-timeout',
  about: 'Sets no timeout for commands.',
  breaks: '`run` answers in bounded time while Redis is silent',
  patches: [
    {
      file: 'src/impl/connection.ts',
      find: `    commandTimeout: commandMs,
    socketTimeout: commandMs,
`,
      replace: '',
    },
  ],
  hunt: {
    killedBy: ['half-open'],
    scenarios: ['half-open-connections'],
  },
})
