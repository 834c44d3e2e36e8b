import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-patience-without-end',
  about: 'Waits for Redis without a limit.',
  breaks: '`run` answers in bounded time while Redis is silent',
  patches: [
    {
      file: 'src/impl/options.ts',
      find: 'callTimeoutMs: 2 * commandMs',
      replace: 'callTimeoutMs: 40 * commandMs',
    },
  ],
  hunt: {
    killedBy: ['partition'],
    scenarios: ['network-partition'],
  },
})
