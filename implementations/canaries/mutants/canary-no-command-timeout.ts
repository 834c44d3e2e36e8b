import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-no-command-timeout',
  about: 'Redis answers within a millisecond, and where the connection is lost the client is told.',
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
