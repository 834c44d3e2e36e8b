import { defineMutant } from '../../../src/contract/canary.ts'

export default defineMutant({
  id: 'canary-waits-for-ever',
  about: 'Redis always answers in the end, so time-outs only make trouble.',
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
    killedBy: ['lost-reply', 'partition'],
    scenarios: ['lost-reply', 'network-partition'],
  },
})
